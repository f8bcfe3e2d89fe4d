// SPDX-License-Identifier: MIT

/// The order of CPU work: highest priority first, first come first served within one, admitted by threads and bytes.
///
/// A pure value: it decides, the pool acts. The head of the queue is always admitted when nothing runs, so that no job
/// is too large to run (too large decodes are refused before); while the head waits for bytes nothing overtakes it, so that none waits for ever.
struct WorkQueue: Sendable {
    typealias ID = UInt64

    private struct Job: Sendable {
        var priority: LoadPriority
        let cost: Int
        /// Which of its places in the lists counts, once it changed priority.
        var place: UInt64
    }

    private let slots: Int
    private let budget: Int
    private var waiting: [ID: Job] = [:]
    private var running: [ID: Int] = [:]
    private var lists: [[(id: ID, place: UInt64)]] = Array(repeating: [], count: LoadPriority.allCases.count)
    private var heads = Array(repeating: 0, count: LoadPriority.allCases.count)
    private var used = 0
    private var next: ID = 0

    init(slots: Int, budget: ByteCount) {
        self.slots = max(1, slots)
        self.budget = budget.bytes
    }

    var waitingCount: Int { waiting.count }
    var runningCount: Int { running.count }
    var usedBytes: ByteCount { ByteCount(used) }

    /// How many jobs could start at once that take no memory; none while others wait.
    var idleSlots: Int { waiting.isEmpty ? slots - running.count : 0 }

    mutating func submit(_ priority: LoadPriority, cost: ByteCount) -> ID {
        next += 1
        waiting[next] = Job(priority: priority, cost: max(0, cost.bytes), place: next)
        lists[priority.rawValue].append((next, next))
        return next
    }

    /// Withdraws a job that has not started; false when it runs, or is done.
    mutating func withdraw(_ id: ID) -> Bool { waiting.removeValue(forKey: id) != nil }

    /// Moves a waiting job to the end of another priority's line.
    mutating func setPriority(_ priority: LoadPriority, of id: ID) {
        guard var job = waiting[id], job.priority != priority else { return }
        next += 1
        job.priority = priority
        job.place = next
        waiting[id] = job
        lists[priority.rawValue].append((id, next))
    }

    /// The jobs to start now.
    mutating func admit() -> [ID] {
        var admitted: [ID] = []
        while running.count < slots, let (id, job) = head() {
            let (sum, overflow) = used.addingReportingOverflow(job.cost)
            guard running.isEmpty || (!overflow && sum <= budget) else { break }
            waiting[id] = nil
            running[id] = job.cost
            used = overflow ? .max : sum
            admitted.append(id)
        }
        return admitted
    }

    /// Takes note that a job has ended.
    mutating func finish(_ id: ID) {
        running[id] = nil
        used = running.values.reduce(0) {
            ByteCount($0).bytes.addingReportingOverflow($1).overflow ? .max : $0 + $1
        }
    }

    /// The first waiting job, skipping places left by withdrawn and moved ones.
    private mutating func head() -> (ID, Job)? {
        for level in lists.indices.reversed() {
            while heads[level] < lists[level].count {
                let entry = lists[level][heads[level]]
                if let job = waiting[entry.id], job.place == entry.place { return (entry.id, job) }
                heads[level] += 1
            }
            lists[level].removeAll(keepingCapacity: true)
            heads[level] = 0
        }
        return nil
    }
}
