// SPDX-License-Identifier: MIT

/// The work under way by what it can be shared by, and the waiting for all of it to end.
final class JobTable<Key: Hashable & Sendable, Job: AnyObject & Sendable>: Sendable {
    private struct State: Sendable {
        var shared: [Key: Job] = [:]
        var active: [ObjectIdentifier: Job] = [:]
        var isClosed = false
        var drained: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Locked(State())

    /// The job under `key`, or the one that `make` gives; nil when the table is closed.
    ///
    /// - Returns: the job, and whether it is new.
    func findOrInsert(_ key: Key, _ make: () -> Job) -> (job: Job, isNew: Bool)? {
        if let found = state.withLock({ $0.shared[key] }) { return (found, false) }
        let made = make()
        return state.withLock { state -> (job: Job, isNew: Bool)? in
            guard !state.isClosed else { return nil }
            if let found = state.shared[key] { return (found, false) }
            state.shared[key] = made
            state.active[ObjectIdentifier(made)] = made
            return (made, true)
        }
    }

    /// Whether there is a job to share under `key`.
    func contains(_ key: Key) -> Bool { state.withLock { $0.shared[key] != nil } }

    /// Ends the sharing of a job; it may still be active.
    func retire(_ key: Key, _ job: Job) {
        state.withLock { state in
            if state.shared[key] === job { state.shared[key] = nil }
        }
    }

    /// Takes note that a job is over.
    func end(_ job: Job) {
        let (removed, drained) = state.withLock { state -> (Job?, [CheckedContinuation<Void, Never>]) in
            let removed = state.active.removeValue(forKey: ObjectIdentifier(job))
            guard state.active.isEmpty else { return (removed, []) }
            defer { state.drained = [] }
            return (removed, state.drained)
        }
        _ = removed
        for continuation in drained { continuation.resume() }
    }

    /// The jobs that are not over.
    var active: [Job] { state.withLock { Array($0.active.values) } }

    /// Lets no new job in.
    func close() { state.withLock { $0.isClosed = true } }

    /// Waits until no job is active.
    func drain() async {
        await withCheckedContinuation { continuation in
            let now = state.withLock { state -> Bool in
                if !state.active.isEmpty { state.drained.append(continuation) }
                return state.active.isEmpty
            }
            if now { continuation.resume() }
        }
    }
}
