// SPDX-License-Identifier: MIT

/// A few threads that may block: for files, and for plug-ins that wait. Tasks are put there by executor preference.
public final class IOPool: TaskExecutor {
    private let threads: ThreadGroup

    /// A pool of at most `threads` threads, which start when first needed. Default 4.
    public init(threads: Int = 4) {
        self.threads = ThreadGroup(name: "webimage-io", threads: threads)
    }

    /// Runs a job of a task on one of the threads.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        threads.enqueue { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Runs `body`, which may block, on one of the threads.
    public func blocking<Result: Sendable>(_ body: @Sendable () throws -> Result) async rethrows -> Result {
        try await withTaskExecutorPreference(self) { try await onPreferredExecutor(body) }
    }
}

@concurrent private func onPreferredExecutor<Result: Sendable>(
    _ body: @Sendable () throws -> Result
) async rethrows -> Result { try body() }
