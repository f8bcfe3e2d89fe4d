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
        var body: BodyContents
        var progress: ProgressGate
        var failure: ImageError?
        var isClosed = false
        var isJudged = false
        /// What was there when nobody wanted it any more, for loaders that can continue it another time.
        var remains: Data?

        /// Where the next bytes are to go.
        mutating func room(for count: Int, _ limit: ByteCount) -> Room {
            guard failure == nil, !isClosed else { return .closed }
            guard body.count + count <= limit.bytes else { return .tooLarge }
            guard body.makeRoom(for: count, expected: head?.expectedLength) else { return .noMemory }
            return body.isInFile ? .file : .memory
        }
    }

    private enum Room: Sendable {
        case memory, file, closed, tooLarge, noMemory
    }

    private let state: Locked<State>
    private let files: BodyFiles?
    private let progressStep: Double
    private let limit: ByteCount
    private let url: URL?
    private let budget: BodyBudget
    private let ticket: BodyBudget.Ticket
    private let judge: @Sendable (RawSpan, Bool) throws(ImageError) -> Bool
    private let onProgress: @Sendable (_ received: Int, _ expected: Int?) -> Void

    /// A sink; `judge` sees all bytes so far and says whether they are settled, or throws to end the load.
    package init(
        url: URL?, limit: ByteCount, budget: BodyBudget, files: BodyFiles? = nil,
        progressStep: Double = 0, judge: @escaping @Sendable (RawSpan, Bool) throws(ImageError) -> Bool,
        onProgress: @escaping @Sendable (_ received: Int, _ expected: Int?) -> Void
    ) {
        state = Locked(State(body: BodyContents(files), progress: ProgressGate(step: progressStep)))
        self.url = url
        self.limit = limit
        self.budget = budget
        self.files = files
        self.progressStep = progressStep
        self.judge = judge
        self.onProgress = onProgress
        ticket = budget.open()
    }

    /// A sink of its own, for tests and for direct use of a loader: takes `limit` bytes and judges nothing.
    ///
    /// `files` says where a large body lies; nil keeps every body in memory.
    public convenience init(limit: ByteCount = .mebibytes(64), files: BodyFiles? = nil) {
        self.init(
            url: nil, limit: limit, budget: BodyBudget(capacity: .unlimited), files: files,
            judge: { (_: RawSpan, _: Bool) throws(ImageError) -> Bool in true }, onProgress: { _, _ in })
    }

    deinit { budget.close(ticket) }

    /// A sink of the same limit, budget and progress that judges nothing: for bodies that are no pictures yet.
    package func collecting() -> BodySink {
        BodySink(
            url: url, limit: limit, budget: budget, files: files, progressStep: progressStep,
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
            state.body = BodyContents(files)
            state.progress = ProgressGate(step: progressStep)
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
        switch state.withLock({ $0.room(for: count, limit) }) {
        case .closed: return .stop
        case .tooLarge:
            _ = fail(tooLarge("is longer than the limit of \(limit)"))
            return .stop
        case .noMemory:
            _ = fail(
                ImageError(
                    .outOfMemory, stage: .load, "There is no memory for the body.", url: url,
                    isRetryable: true))
            return .stop
        case .memory where !budget.request(count, ticket): return .pause
        case .memory, .file: return keep(bytes)
        }
    }

    private func keep(_ bytes: RawSpan) -> Answer {
        let (received, expected, isTold, isJudged) = state.withLock { state in
            if state.failure == nil, !state.isClosed { state.body.append(bytes) }
            let (received, expected) = (state.body.count, state.head?.expectedLength)
            return (received, expected, state.progress.lets(received, of: expected), state.isJudged)
        }
        if isTold { onProgress(received, expected) }
        guard !isJudged else { return .accepted }
        return pronounce(isComplete: false) == nil ? .accepted : .stop
    }

    /// Asks the judge about what is there; the failure, if it found one.
    private func pronounce(isComplete: Bool) -> ImageError? {
        let body = state.withLock { $0.body }
        do throws(ImageError) {
            let isSettled = try body.withBytes { bytes throws(ImageError) in try judge(bytes, isComplete) }
            if isSettled { state.withLock { $0.isJudged = true } }
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
        state.withLock { $0.body.copy(from: offset) }
    }

    /// Bytes received.
    public var receivedCount: Int { state.withLock { $0.body.count } }

    /// What there is of a body that was cut off or cancelled; empty where it was found to be of no use.
    package func takeRemains() -> Data {
        state.withLock { state in
            state.isClosed = true
            defer { state.remains = nil }
            return state.remains ?? state.body.handOut()
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
            return state.body.handOut()
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
            if error.code == .cancelled { state.remains = state.body.handOut() }
            state.body = BodyContents(files)
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
