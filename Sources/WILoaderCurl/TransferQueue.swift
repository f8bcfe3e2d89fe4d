// SPDX-License-Identifier: MIT
internal import WICore

/// Which transfers run: highest priority first, first come first served within one, within the caps.
///
/// A pure value. A host at its cap does not hold back the others.
struct TransferQueue: Sendable {
    typealias ID = UInt64

    private struct Waiting: Sendable {
        let id: ID
        let host: String
    }

    private let total: Int
    private let perHost: Int
    private var waiting: [[Waiting]] = Array(repeating: [], count: LoadPriority.allCases.count)
    private var running: [ID: String] = [:]
    private var hosts: [String: Int] = [:]

    init(total: Int, perHost: Int) {
        self.total = max(1, total)
        self.perHost = max(1, perHost)
    }

    var runningCount: Int { running.count }
    var waitingCount: Int { waiting.reduce(0) { $0 + $1.count } }

    mutating func add(_ id: ID, host: String, _ priority: LoadPriority) {
        waiting[priority.rawValue].append(Waiting(id: id, host: host))
    }

    mutating func setPriority(_ priority: LoadPriority, of id: ID) {
        for level in waiting.indices where level != priority.rawValue {
            guard let index = waiting[level].firstIndex(where: { $0.id == id }) else { continue }
            waiting[priority.rawValue].append(waiting[level].remove(at: index))
            return
        }
    }

    /// Takes a transfer out, whether it waits or runs.
    mutating func remove(_ id: ID) {
        if let host = running.removeValue(forKey: id) {
            let left = (hosts[host] ?? 1) - 1
            hosts[host] = left > 0 ? left : nil
            return
        }
        for level in waiting.indices {
            if let index = waiting[level].firstIndex(where: { $0.id == id }) {
                waiting[level].remove(at: index)
                return
            }
        }
    }

    /// The transfers to start now.
    mutating func start() -> [ID] {
        var started: [ID] = []
        for level in waiting.indices.reversed() where running.count < total && !waiting[level].isEmpty {
            var kept: [Waiting] = []
            for entry in waiting[level] {
                guard running.count < total, hosts[entry.host, default: 0] < perHost else {
                    kept.append(entry)
                    continue
                }
                running[entry.id] = entry.host
                hosts[entry.host, default: 0] += 1
                started.append(entry.id)
            }
            waiting[level] = kept
        }
        return started
    }
}
