// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Threads for CPU work: decoding, transforming, encoding. The cooperative pool never does any of it.
///
/// Work runs highest priority first, admitted by the bytes that it will hold. A job that has not started can be moved or
/// withdrawn; one that runs is asked to stop through its ``WorkContext``.
public final class WorkPool: Sendable {
    private struct State: Sendable {
        var queue: WorkQueue
        var bodies: [WorkQueue.ID: @Sendable () -> Void] = [:]
    }

    private let state: Locked<State>
    private let threads: ThreadGroup
    /// Bytes that the running jobs may hold together.
    public let memoryBudget: ByteCount
    /// What one decode may hold at most.
    let largestDecode: ByteCount

    /// A pool.
    ///
    /// - Parameters:
    ///   - threads: how many jobs run at once. Default: the number of processors.
    ///   - memoryBudget: bytes that the running jobs may hold together, and so the most that one decode may. Default: a
    ///     quarter of what the process may use, and half of it for a decode that runs alone.
    public init(threads: Int? = nil, memoryBudget: ByteCount? = nil) {
        let count = max(1, threads ?? Self.processorCount)
        let budget = memoryBudget ?? ByteCount(ProcessMemory.limit().bytes / 4)
        self.memoryBudget = budget
        largestDecode = memoryBudget ?? ByteCount(ProcessMemory.limit().bytes / 2)
        state = Locked(State(queue: WorkQueue(slots: count, budget: budget)))
        self.threads = ThreadGroup(name: "webimage-work", threads: count)
    }

    /// Refuses a decode that would hold more than all jobs may.
    ///
    /// - Throws: ``ImageError`` with code `memoryLimit`.
    func checkDecode(_ estimate: ByteCount, _ info: ImageInfo) throws(ImageError) {
        guard estimate > largestDecode else { return }
        throw ImageError(
            .memoryLimit, stage: .decode,
            "To decode the \(info.format) file of \(info.storedSize) takes about \(estimate), more than the limit "
                + "of \(largestDecode); ask for a smaller picture, or raise ImageManagerConfiguration.decodeMemory."
        )
    }

    static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Runs `body` when its turn comes.
    @discardableResult
    package func submit(
        _ priority: LoadPriority, cost: ByteCount, _ body: @escaping @Sendable (borrowing WorkContext) -> Void
    ) -> WorkTicket {
        let flag = CancellationFlag()
        let (id, admitted) = state.withLock { state in
            let id = state.queue.submit(priority, cost: cost)
            state.bodies[id] = { [self] in body(WorkContext(flag: flag, helpers: self)) }
            return (id, state.queue.admit())
        }
        start(admitted)
        return WorkTicket(id: id, flag: flag, pool: self)
    }

    /// Runs `body` when its turn comes, and gives its result; cancelling the task stops it.
    public func run<Result: Sendable>(
        _ priority: LoadPriority = .normal, cost: ByteCount = .zero,
        _ body: @escaping @Sendable (borrowing WorkContext) throws -> Result
    ) async throws -> Result {
        let relay = WorkRelay<Result>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                relay.begin(continuation)
                let ticket = submit(priority, cost: cost) { work in
                    relay.end(Swift.Result { try body(work) })
                }
                relay.attach(ticket)
            }
        } onCancel: {
            relay.cancel()
        }
    }

    /// Runs `body` on every thread that has nothing to do, as work that costs no memory of its own; where all are busy,
    /// on none.
    func lend(_ body: @escaping @Sendable () -> Void) {
        let admitted = state.withLock { state in
            let idle = state.queue.idleSlots
            for _ in 0..<idle {
                state.bodies[state.queue.submit(.high, cost: .zero)] = body
            }
            return state.queue.admit()
        }
        start(admitted)
    }

    private func start(_ ids: [WorkQueue.ID]) {
        for id in ids { threads.enqueue { [self] in run(id) } }
    }

    private func run(_ id: WorkQueue.ID) {
        let body = state.withLock { $0.bodies.removeValue(forKey: id) }
        body?()
        let admitted = state.withLock { state in
            state.queue.finish(id)
            return state.queue.admit()
        }
        start(admitted)
    }

    fileprivate func withdraw(_ id: WorkQueue.ID) -> Bool {
        let (body, admitted) = state.withLock { state -> ((@Sendable () -> Void)?, [WorkQueue.ID]) in
            guard state.queue.withdraw(id) else { return (nil, []) }
            return (state.bodies.removeValue(forKey: id), state.queue.admit())
        }
        start(admitted)
        return body != nil
    }

    fileprivate func setPriority(_ priority: LoadPriority, of id: WorkQueue.ID) {
        let admitted = state.withLock { state in
            state.queue.setPriority(priority, of: id)
            return state.queue.admit()
        }
        start(admitted)
    }
}

/// The handle of a piece of work.
package struct WorkTicket: Sendable {
    fileprivate let id: WorkQueue.ID
    fileprivate let flag: CancellationFlag
    fileprivate let pool: WorkPool

    /// Asks the work to stop; true when it had not started, and so never will.
    @discardableResult
    package func cancel() -> Bool {
        flag.raise()
        return pool.withdraw(id)
    }

    /// Moves the work in the queue, while it waits there.
    package func setPriority(_ priority: LoadPriority) { pool.setPriority(priority, of: id) }
}

/// Carries the result of a piece of work to the one continuation that waits for it.
private final class WorkRelay<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var continuation: CheckedContinuation<Value, any Error>?
        var ticket: WorkTicket?
        var isCancelled = false
    }
    private let state = Locked(State())

    func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        state.withLock { $0.continuation = continuation }
    }

    func attach(_ ticket: WorkTicket) {
        let isCancelled = state.withLock { state in
            state.ticket = ticket
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    func end(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    func cancel() {
        let ticket = state.withLock { state in
            state.isCancelled = true
            return state.ticket
        }
        if ticket?.cancel() == true { end(.failure(CancellationError())) }
    }
}
