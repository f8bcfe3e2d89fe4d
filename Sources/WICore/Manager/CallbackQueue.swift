// SPDX-License-Identifier: MIT

/// Where closures are called that a program gives instead of awaiting.
public struct CallbackQueue: Sendable {
    private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A queue of your own; `schedule` is to call each closure that it is given once.
    ///
    /// ```swift
    /// let main = CallbackQueue { body in DispatchQueue.main.async(execute: body) }
    /// ```
    public init(_ schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.schedule = schedule
    }

    /// On the thread where the request ended, or the caller's own where that is at once. The closure must not block.
    public static let inline = CallbackQueue { $0() }

    /// As a job of `executor`.
    public static func executor(_ executor: any TaskExecutor) -> CallbackQueue {
        CallbackQueue { body in Task(executorPreference: executor) { body() } }
    }

    func call(_ body: @escaping @Sendable () -> Void) { schedule(body) }
}
