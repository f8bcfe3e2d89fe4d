// SPDX-License-Identifier: MIT

/// The handle of one request under way. Dropping it does not cancel. Safe from any thread.
public final class ImageTask: JobSubscriber {
    private struct State: Sendable {
        var result: Result<ImageResult, ImageError>?
        var waiting: [CheckedContinuation<Result<ImageResult, ImageError>, Never>] = []
        var mailboxes: [EventMailbox] = []
        /// What a new reader begins with.
        var latest = PendingEvents()
        var priority: LoadPriority
        var span: ObservedSpan?
        var callbacks: [@Sendable (Result<ImageResult, ImageError>) -> Void] = []
        var job: TargetJob?
    }

    let id: SubscriberID
    /// What was asked for.
    public let request: ImageRequest
    private let state: Locked<State>

    init(id: SubscriberID, request: ImageRequest, priority: LoadPriority, span: ObservedSpan? = nil) {
        self.id = id
        self.request = request
        state = Locked(State(priority: priority, span: span))
    }

    /// The end of the request: the picture, or why there is none.
    ///
    /// Cancelling the task that waits here cancels the request.
    /// - Throws: why there is no picture.
    public func result() async throws(ImageError) -> ImageResult {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state -> Result<ImageResult, ImageError>? in
                    if state.result == nil { state.waiting.append(continuation) }
                    return state.result
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// The decoded picture alone.
    ///
    /// - Throws: why there is none.
    public var image: DecodedImage {
        get async throws(ImageError) { try await result().image }
    }

    /// What happens, for any number of readers: each gets the latest state at once, and the newest where it reads slowly.
    public var events: Events {
        Events { [self] in
            state.withLock { state in
                let mailbox = EventMailbox(state.latest)
                if state.result == nil { state.mailboxes.append(mailbox) }
                return mailbox
            }
        }
    }

    /// How urgent the request is; it may change until the end. Shared work runs at the highest of its requests.
    public var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set {
            let job = state.withLock { state in
                state.priority = newValue
                return state.job
            }
            job?.handle(.setPriority(newValue, id))
        }
    }

    /// Ends the request with `cancelled`, at once; after the end it does nothing. Work that others want goes on.
    public func cancel() {
        let job = state.withLock { $0.job }
        job?.handle(.leave(id))
    }

    /// Whether the request has ended.
    public var isFinished: Bool { state.withLock { $0.result != nil } }

    // MARK: - From the manager

    func attach(_ job: TargetJob) {
        state.withLock { state in
            if state.result == nil { state.job = job }
        }
    }

    /// Tells the readers what happened on the way.
    func show(_ event: Event) {
        let mailboxes = state.withLock { state -> [EventMailbox] in
            guard state.result == nil else { return [] }
            state.latest.add(event)
            return state.mailboxes
        }
        for mailbox in mailboxes { mailbox.put(event) }
    }

    /// Calls `body` with the end of the request, at once where that is over.
    func whenFinished(_ body: @escaping @Sendable (Result<ImageResult, ImageError>) -> Void) {
        let result = state.withLock { state in
            if state.result == nil { state.callbacks.append(body) }
            return state.result
        }
        if let result { body(result) }
    }

    func finish(_ result: Result<TargetJob.Payload, ImageError>) {
        switch result {
        case .failure(let error): end(.failure(error))
        case .success(let payload):
            guard let picture = payload.result else { return }
            end(.success(picture))
        }
    }

    func end(_ result: Result<ImageResult, ImageError>) {
        let ended = state.withLock { state -> State? in
            guard state.result == nil else { return nil }
            let before = state
            state.result = result
            state.latest.add(.finished(result))
            state.waiting = []
            state.callbacks = []
            state.mailboxes = []
            state.job = nil
            return before
        }
        guard let ended else { return }
        switch result {
        case .success(let picture): ended.span?.end(.found(picture.origin))
        case .failure(let error): ended.span?.end(.failed(error))
        }
        for continuation in ended.waiting { continuation.resume(returning: result) }
        for callback in ended.callbacks { callback(result) }
        for mailbox in ended.mailboxes { mailbox.put(.finished(result)) }
    }
}
