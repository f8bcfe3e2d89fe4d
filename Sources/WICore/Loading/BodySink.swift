// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// Where a loader puts the body it receives. It judges head and first bytes, keeps the body in one buffer, and holds the
/// loader back when bodies that wait for a decoder take too much memory.
///
/// Two ways to write: ``append(_:)`` suspends for back-pressure; event loops use ``offer(_:)`` and ``onResume(_:)``.
/// Calls come from one thread at a time.
public final class BodySink: Sendable {
    /// What an event loop does after offering bytes.
    public enum Answer: Hashable, Sendable {
        /// The bytes were taken; go on.
        case accepted
        /// The bytes were not taken; offer them again after the resume call.
        case pause
        /// Nobody wants more; ``failure`` says why.
        case stop
    }

    private struct State: Sendable {
        var head: ResponseHead?
        var body = Data()
        var failure: ImageError?
        var isClosed = false
        var isJudged = false
        /// What was there when nobody wanted it any more, for loaders that can continue it another time.
        var remains: Data?
        var resume: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    private let limit: ByteCount
    private let url: URL?
    private let budget: BodyBudget
    private let ticket: BodyBudget.Ticket
    private let judge: @Sendable (RawSpan, Bool) throws(ImageError) -> Bool
    private let onProgress: @Sendable (_ received: Int, _ expected: Int?) -> Void

    /// A sink; `judge` sees all bytes so far and says whether they are settled, or throws to end the load.
    package init(
        url: URL?, limit: ByteCount, budget: BodyBudget,
        judge: @escaping @Sendable (RawSpan, Bool) throws(ImageError) -> Bool,
        onProgress: @escaping @Sendable (_ received: Int, _ expected: Int?) -> Void
    ) {
        self.url = url
        self.limit = limit
        self.budget = budget
        self.judge = judge
        self.onProgress = onProgress
        ticket = budget.open()
    }

    /// A sink of its own, for tests and for direct use of a loader: takes `limit` bytes and judges nothing.
    public convenience init(limit: ByteCount = .mebibytes(64)) {
        self.init(
            url: nil, limit: limit, budget: BodyBudget(capacity: .unlimited),
            judge: { (_: RawSpan, _: Bool) throws(ImageError) -> Bool in true }, onProgress: { _, _ in })
    }

    deinit { budget.close(ticket) }

    /// A sink of the same limit, budget and progress that judges nothing: for bodies that are no pictures yet.
    package func collecting() -> BodySink {
        BodySink(
            url: url, limit: limit, budget: budget,
            judge: { (_: RawSpan, _: Bool) throws(ImageError) -> Bool in true }, onProgress: onProgress)
    }

    /// Tells the head of the answer, before the first bytes. A second head starts the body anew.
    ///
    /// - Throws: ``ImageError`` with code `bodyLimit` when the stated length is over the limit; the load then ends.
    public func begin(_ head: ResponseHead) throws(ImageError) {
        let expected = head.expectedLength ?? 0
        if expected > limit.bytes {
            throw fail(tooLarge("has \(ByteCount(expected)), more than the limit of \(limit)"))
        }
        state.withLock { state in
            state.head = head
            state.body = Data()
            // A length is a promise: memory is taken as bytes keep it, so that a liar costs nothing.
            if expected > 0 { state.body.reserveCapacity(min(expected, 1 << 20)) }
        }
    }

    /// Takes bytes, waiting while memory for bodies is short.
    ///
    /// - Throws: ``ImageError`` when nobody wants more: cancelled, over the limit, or no picture.
    public func append(_ bytes: Data) async throws(ImageError) {
        while true {
            switch offer(bytes.bytes) {
            case .accepted: return
            case .stop: throw failure ?? .cancelled(.load, url: url)
            case .pause: await budget.wait(ticket)
            }
        }
    }

    /// Takes bytes, or says to pause or stop. Never waits.
    public func offer(_ bytes: RawSpan) -> Answer {
        let count = bytes.byteCount
        let size = state.withLock { state -> Int? in
            state.failure != nil || state.isClosed ? nil : state.body.count
        }
        guard let size else { return .stop }
        guard size + count <= limit.bytes else {
            _ = fail(tooLarge("is longer than the limit of \(limit)"))
            return .stop
        }
        guard budget.request(count, ticket) else { return .pause }
        return keep(bytes)
    }

    private func keep(_ bytes: RawSpan) -> Answer {
        let (received, expected, isJudged) = state.withLock { state in
            bytes.withUnsafeBytes { state.body.append(contentsOf: $0) }
            return (state.body.count, state.head?.expectedLength, state.isJudged)
        }
        onProgress(received, expected)
        guard !isJudged else { return .accepted }
        return pronounce(isComplete: false) == nil ? .accepted : .stop
    }

    /// Asks the judge about what is there; the failure, if it found one.
    private func pronounce(isComplete: Bool) -> ImageError? {
        let body = state.withLock { $0.body }
        do throws(ImageError) {
            if try judge(body.bytes, isComplete) { state.withLock { $0.isJudged = true } }
            return nil
        } catch {
            return fail(error.naming(url))
        }
    }

    /// Calls `resume` once bytes that were answered with ``Answer/pause`` may be offered again, from any thread.
    public func onResume(_ resume: @escaping @Sendable () -> Void) { budget.notify(ticket, resume) }

    /// Why nobody wants more; nil while the body is wanted.
    public var failure: ImageError? { state.withLock { $0.failure } }
    /// The head, once it was told.
    public var head: ResponseHead? { state.withLock { $0.head } }
    /// A copy of what came after the first `offset` bytes.
    func bytes(from offset: Int) -> Data {
        state.withLock { state in
            offset < state.body.count
                ? Data(state.body[state.body.startIndex + offset..<state.body.endIndex]) : Data()
        }
    }

    /// Bytes received.
    public var receivedCount: Int { state.withLock { $0.body.count } }

    /// What there is of a body that was cut off or cancelled; empty where it was found to be of no use.
    package func takeRemains() -> Data {
        state.withLock { state in
            state.isClosed = true
            defer { state.remains = nil }
            return state.remains ?? state.body
        }
    }

    /// The body, once the loader has ended well.
    ///
    /// - Throws: why nobody wanted it, or what is wrong with its first bytes.
    public func finish() throws(ImageError) -> Data {
        if let failure { throw failure }
        let isJudged = state.withLock { $0.isJudged }
        if !isJudged, let failure = pronounce(isComplete: true) { throw failure }
        return state.withLock { state in
            state.isClosed = true
            return state.body
        }
    }

    /// Ends the wish for more; a paused loader is resumed, so that it learns of it.
    package func cancel(_ error: ImageError) {
        _ = fail(error)
    }

    @discardableResult
    private func fail(_ error: ImageError) -> ImageError {
        let first = state.withLock { state -> ImageError in
            if let failure = state.failure { return failure }
            state.failure = error
            if error.code == .cancelled { state.remains = state.body }
            state.body = Data()
            return error
        }
        budget.close(ticket)
        return first
    }

    private func tooLarge(_ what: String) -> ImageError {
        ImageError(
            .bodyLimit, stage: .load,
            "The body \(what); raise the request's body limit if you trust the server.",
            url: url)
    }
}
