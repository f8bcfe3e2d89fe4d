// SPDX-License-Identifier: MIT

/// Who waits for the end of a ``TargetJob``: a request for a picture, or one for bytes.
protocol JobSubscriber: AnyObject, Sendable {
    var id: SubscriberID { get }
    /// How urgent the request is when it joins.
    var priority: LoadPriority { get }
    /// The job that the request joins, before it does.
    func attach(_ job: TargetJob)
    /// What happens on the way.
    func show(_ event: ImageTask.Event)
    /// The end, exactly once.
    func finish(_ result: Result<TargetJob.Payload, ImageError>)
}

/// A request for bytes alone.
final class DataTask: JobSubscriber {
    private struct State: Sendable {
        var result: Result<DataResult, ImageError>?
        var waiting: CheckedContinuation<Result<DataResult, ImageError>, Never>?
        var job: TargetJob?
    }

    let id: SubscriberID
    let priority: LoadPriority
    private let state = Locked(State())

    init(id: SubscriberID, priority: LoadPriority) {
        self.id = id
        self.priority = priority
    }

    /// The end; to be waited for once. Cancelling the task that waits cancels the request.
    func result() async throws(ImageError) -> DataResult {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state in
                    if state.result == nil { state.waiting = continuation }
                    return state.result
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let job = state.withLock { $0.job }
            job?.handle(.leave(id))
        }
        return try result.get()
    }

    func attach(_ job: TargetJob) {
        state.withLock { state in
            if state.result == nil { state.job = job }
        }
    }

    func show(_ event: ImageTask.Event) {}

    func finish(_ result: Result<TargetJob.Payload, ImageError>) {
        let result = result.map { payload in
            DataResult(
                data: payload.data, metadata: payload.metadata, origin: payload.origin,
                isStale: payload.isStale, refreshFailure: payload.refreshFailure)
        }
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            if state.result == nil { state.result = result }
            state.job = nil
            return state.waiting
        }
        waiting?.resume(returning: result)
    }
}
