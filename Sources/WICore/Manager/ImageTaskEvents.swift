// SPDX-License-Identifier: MIT

extension ImageTask {
    /// What happens to a request.
    public enum Event: Sendable {
        /// So many bytes have come, of so many where the answer said.
        case progress(received: Int, expected: Int?)
        /// A cached picture that may be stale; the server is being asked about it.
        case cached(ImageResult)
        /// What can be seen of the picture so far.
        case preview(ImagePreview)
        /// The end; nothing comes after it.
        case finished(Result<ImageResult, ImageError>)
    }

    /// What happens to a request, in order, as a sequence that ends with ``Event/finished(_:)``.
    ///
    /// A reader that is slower than the events gets the newest progress and the newest picture, and misses those between.
    public struct Events: AsyncSequence, Sendable {
        /// What the sequence gives.
        public typealias Element = Event

        let subscribe: @Sendable () -> EventMailbox

        /// A reader of its own, which begins with the latest state.
        public func makeAsyncIterator() -> Iterator { Iterator(mailbox: subscribe()) }

        /// One reader.
        public struct Iterator: AsyncIteratorProtocol {
            let mailbox: EventMailbox

            /// The next event; nil after the end, or when the surrounding task is cancelled, which does not cancel the request.
            public mutating func next() async -> Event? { await mailbox.next() }
        }
    }
}

/// What one reader has not read yet: the newest progress, the newest picture and the end. A pure value.
struct PendingEvents: Sendable {
    private var progress: ImageTask.Event?
    private var picture: ImageTask.Event?
    private var end: ImageTask.Event?
    private var isOver = false

    mutating func add(_ event: ImageTask.Event) {
        switch event {
        case .progress: progress = event
        case .cached, .preview: picture = event
        case .finished:
            // The end says more than what came before it.
            (progress, picture, end) = (nil, nil, event)
        }
    }

    /// The next event; `.some(nil)` after the end, nil when there is nothing yet.
    mutating func take() -> ImageTask.Event?? {
        if isOver { return .some(nil) }
        if let event = picture {
            picture = nil
            return event
        }
        if let event = progress {
            progress = nil
            return event
        }
        if let event = end {
            isOver = true
            return event
        }
        return nil
    }
}

/// Hands events to one reader.
final class EventMailbox: Sendable {
    private struct State: Sendable {
        var pending = PendingEvents()
        var reader: CheckedContinuation<ImageTask.Event?, Never>?
        var isCancelled = false
    }

    private let state: Locked<State>

    /// A mailbox that begins with these events.
    init(_ pending: PendingEvents) { state = Locked(State(pending: pending)) }

    func put(_ event: ImageTask.Event) {
        let (reader, next) = state.withLock { state in
            state.pending.add(event)
            guard let reader = state.reader, let next = state.pending.take() else {
                return (CheckedContinuation<ImageTask.Event?, Never>?.none, ImageTask.Event?.none)
            }
            state.reader = nil
            return (reader, next)
        }
        reader?.resume(returning: next)
    }

    func next() async -> ImageTask.Event? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let next = state.withLock { state -> ImageTask.Event?? in
                    if state.isCancelled { return .some(nil) }
                    if let next = state.pending.take() { return next }
                    state.reader = continuation
                    return nil
                }
                if let next { continuation.resume(returning: next) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                state.isCancelled = true
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}
