// SPDX-License-Identifier: MIT
internal import WICore

/// Which transfers run: highest priority first, first come first served within one, within the caps.
///
/// A pure value. A host at its cap does not hold back the others, and what one step costs does not grow with the number
/// that wait (but for the heap's log n): a prefetch of ten thousand pictures waits here.
struct TransferQueue: Sendable {
    typealias ID = UInt64

    /// A place in the order of all that wait: the least goes first.
    private struct Rank: Comparable, Sendable {
        let level: Int
        let number: Int64

        static func < (left: Rank, right: Rank) -> Bool {
            left.level != right.level ? left.level > right.level : left.number < right.number
        }
    }

    private struct Waiting: Sendable {
        let host: Int
        let rank: Rank
    }

    /// A host whose foremost transfer may start as soon as there is room in all.
    private struct Candidate: Comparable, Sendable {
        let rank: Rank
        let host: Int

        static func < (left: Candidate, right: Candidate) -> Bool { left.rank < right.rank }
    }

    /// The transfers of one host at one priority, in order; those that were withdrawn are skipped later.
    private struct Line: Sendable {
        typealias Entry = (id: ID, number: Int64)

        /// Those that go before all others, the first one last.
        var urgent: [Entry] = []
        var entries: [Entry] = []
        var first = 0
        /// Entries that still wait.
        var live = 0

        var foremost: Entry? { urgent.last ?? (first < entries.count ? entries[first] : nil) }
        var count: Int { urgent.count + entries.count - first }

        /// Takes the foremost entry away.
        mutating func drop() {
            guard urgent.isEmpty else {
                urgent.removeLast()
                return
            }
            first += 1
            if first == entries.count {
                entries.removeAll(keepingCapacity: entries.count <= 64)
                first = 0
            } else if first > 32, first > entries.count / 2 {
                entries.removeFirst(first)
                first = 0
            }
        }
    }

    private struct Host: Sendable {
        let name: String
        var running = 0
        var lines = Array(repeating: Line(), count: LoadPriority.allCases.count)
        /// The rank under which it stands among the candidates.
        var nominated: Rank?
    }

    private var total: Int
    private var perHost: Int
    private let isLIFO: Bool
    /// Hosts in places that they keep while anything of theirs is here, so that each step need not look up a name.
    private var hosts: [Host] = []
    private var places: [String: Int] = [:]
    private var freePlaces: [Int] = []
    private var waiting: [ID: Waiting] = [:]
    private var running: [ID: Int] = [:]
    private var candidates = BinaryHeap<Candidate>()
    private var next: Int64 = 0
    private var nextFirst: Int64 = -1

    /// A queue; where it is last in, first out, that holds within one priority.
    init(total: Int, perHost: Int, isLIFO: Bool = false) {
        self.total = max(1, total)
        self.perHost = max(1, perHost)
        self.isLIFO = isLIFO
    }

    /// Changes the caps; what runs goes on.
    mutating func setCaps(total: Int, perHost: Int) {
        self.total = max(1, total)
        self.perHost = max(1, perHost)
        for host in Set(places.values) { nominate(host) }
    }

    var runningCount: Int { running.count }
    var waitingCount: Int { waiting.count }

    /// Adds a transfer at the end of its priority, or before all others there.
    mutating func add(_ id: ID, host name: String, _ priority: LoadPriority, isFirst: Bool = false) {
        add(id, host: place(of: name), priority, isFirst: isFirst || isLIFO)
    }

    private mutating func add(_ id: ID, host: Int, _ priority: LoadPriority, isFirst: Bool) {
        let rank = Rank(level: priority.rawValue, number: isFirst ? nextFirst : next)
        if isFirst {
            nextFirst -= 1
            hosts[host].lines[rank.level].urgent.append((id, rank.number))
        } else {
            next += 1
            hosts[host].lines[rank.level].entries.append((id, rank.number))
        }
        waiting[id] = Waiting(host: host, rank: rank)
        hosts[host].lines[rank.level].live += 1
        nominate(host)
    }

    /// Moves a transfer that waits to the end of another priority.
    mutating func setPriority(_ priority: LoadPriority, of id: ID) {
        guard let entry = waiting[id], entry.rank.level != priority.rawValue else { return }
        withdraw(entry)
        add(id, host: entry.host, priority, isFirst: isLIFO)
    }

    /// Takes a transfer out, whether it waits or runs.
    mutating func remove(_ id: ID) {
        if let host = running.removeValue(forKey: id) {
            hosts[host].running -= 1
            nominate(host)
        } else if let entry = waiting.removeValue(forKey: id) {
            withdraw(entry)
            nominate(entry.host)
        }
    }

    /// The transfers to start now, the most urgent ones where only so many may.
    mutating func start(atMost limit: Int = .max) -> [ID] {
        var started: [ID] = []
        while running.count < total, started.count < limit, let candidate = candidates.takeLeast() {
            let host = candidate.host
            // A candidate whose host has another foremost transfer by now, or is another host, is out of date.
            guard hosts[host].nominated == candidate.rank, let id = foremost(of: host)?.id else { continue }
            // The cap may have been lowered since.
            guard hosts[host].running < perHost else {
                hosts[host].nominated = nil
                continue
            }
            waiting[id] = nil
            running[id] = host
            hosts[host].lines[candidate.rank.level].live -= 1
            hosts[host].running += 1
            hosts[host].nominated = nil
            started.append(id)
            nominate(host)
        }
        return started
    }

    private mutating func place(of name: String) -> Int {
        if let place = places[name] { return place }
        let host = Host(name: name)
        let place = freePlaces.popLast() ?? hosts.count
        if place == hosts.count { hosts.append(host) } else { hosts[place] = host }
        places[name] = place
        return place
    }

    private mutating func withdraw(_ entry: Waiting) {
        hosts[entry.host].lines[entry.rank.level].live -= 1
        let line = hosts[entry.host].lines[entry.rank.level]
        guard line.count > 2 * line.live + 32 else { return }
        let isLive = { [waiting] (other: Line.Entry) in
            other.number != entry.rank.number && waiting[other.id]?.rank.number == other.number
        }
        hosts[entry.host].lines[entry.rank.level] = Line(
            urgent: line.urgent.filter(isLive), entries: line.entries[line.first...].filter(isLive),
            live: line.live)
    }

    /// Puts the host among the candidates, if it may start one and does not stand there for it already.
    private mutating func nominate(_ host: Int) {
        guard let (_, rank) = foremost(of: host) else {
            hosts[host].nominated = nil
            if hosts[host].running == 0 {
                places[hosts[host].name] = nil
                freePlaces.append(host)
            }
            return
        }
        guard hosts[host].running < perHost, hosts[host].nominated != rank else { return }
        hosts[host].nominated = rank
        candidates.insert(Candidate(rank: rank, host: host))
        guard candidates.count > 2 * hosts.count + 32 else { return }
        candidates = BinaryHeap(
            hosts.indices.compactMap { host in
                hosts[host].nominated.map { Candidate(rank: $0, host: host) }
            })
    }

    /// The host's transfer that is to start first; what was withdrawn before it is dropped.
    private mutating func foremost(of host: Int) -> (id: ID, rank: Rank)? {
        for level in hosts[host].lines.indices.reversed() {
            while let entry = hosts[host].lines[level].foremost {
                let rank = Rank(level: level, number: entry.number)
                if waiting[entry.id]?.rank == rank { return (entry.id, rank) }
                hosts[host].lines[level].drop()
            }
        }
        return nil
    }
}
