// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import WICore

/// One transfer: a request and where it is now, the sink of its body, and its end.
///
/// `@unchecked Sendable`: the mutable properties are touched by the loop's thread alone once the transfer was given to it;
/// the end is behind a lock.
final class CurlTransfer: @unchecked Sendable {
    typealias Answer = TransferEnd.Answer

    let id: TransferQueue.ID
    let request: LoadRequest
    let end = TransferEnd()
    /// The loader's configuration: a reference, for a copy of it for each transfer would cost more than all else here.
    private let engine: CurlEngine
    let observers: TransferObservers
    /// Whether the request itself asks for a part.
    private let asksForPart: Bool
    /// How urgent it is now.
    var priority: LoadPriority
    /// What is asked next, or is being asked: changes with each redirect.
    private(set) var hop: Hop
    private(set) var redirects = 0
    /// The beginning of the body that is there already, and its bytes where the sink has them not.
    private var partial: (body: PartialBody, data: Data?)?
    private var schedule: RetrySchedule
    var metrics: MetricsCollector
    var times: TransferTimes
    /// The loop's, while the transfer runs.
    private var clock: LoopClock?
    /// Nil once the transfer has ended: what the sink holds is then its owner's alone.
    var sink: BodySink?
    var easy: CurlEasy?

    // One exchange with a server.

    var isPaused = false
    private var response: CurlResponse
    /// What the last head meant.
    private(set) var verdict: Verdict?
    private(set) var flow: BodyFlow?
    /// Why the loader itself gave the transfer up, where that was in one of libcurl's calls.
    private(set) var refusal: ImageError?
    /// An address that was not tried, for the case that no other answered.
    private var refusedAddress: IPAddress?
    private var discarded = 0
    /// Bytes of an error page that are read for the sake of the connection.
    private static let longestErrorPage = 64 << 10

    init(
        _ id: TransferQueue.ID, _ request: LoadRequest, _ hop: Hop, _ sink: BodySink,
        _ engine: CurlEngine, _ observers: TransferObservers,
        partial: KeptPartial? = nil, now: Duration
    ) {
        self.id = id
        self.request = request
        self.hop = hop
        self.sink = sink
        self.observers = observers
        self.engine = engine
        let configuration = engine.configuration
        priority = request.priority
        self.partial = partial.map { ($0.body, $0.data) }
        asksForPart = request.asksForPart
        response = CurlResponse(limit: configuration.maximumHeaderLength)
        let limits = TransferLimits(request, configuration, now: now)
        times = TransferTimes(limits)
        metrics = MetricsCollector(began: now)
        schedule = RetrySchedule(
            request.context[.retryPolicy] ?? configuration.retryPolicy, began: now,
            latestEnd: limits.latestEnd)
    }

    // MARK: - From exchange to exchange

    /// An exchange begins.
    func start(_ clock: LoopClock) {
        self.clock = clock
        times.start(clock.now)
        metrics.start(clock.now)
        observers.tell(self, .started)
    }

    /// Goes on elsewhere, once the handle was taken away.
    func follow(_ hop: Hop) {
        self.hop = hop
        redirects += 1
        metrics.redirect()
        times.stop()
        reset()
        observers.tell(self, .redirected(to: hop.url))
    }

    /// Makes ready for another try after a failure; false where that was the end.
    func retry(after error: ImageError, _ failure: RetrySchedule.Failure, now: Duration, random: Double)
        -> Bool
    {
        guard let delay = schedule.delay(after: failure, priority, now: now, random: random) else {
            return false
        }
        metrics.retry()
        times.stop(retry: (now + delay, delay))
        if let continued { partial = (continued, nil) }
        reset()
        observers.tell(self, .retrying(after: delay, because: error))
        return true
    }

    /// Asks for all of the body: what is there is no beginning of it.
    func restart() {
        partial = nil
        times.stop()
        reset()
    }

    /// The fields of the next exchange.
    var lines: [String] {
        guard let partial else { return hop.lines }
        return hop.lines.filter { !$0.lowercased().hasPrefix("accept-encoding:") } + partial.body.lines
    }

    /// What the sink has, where its rest can be asked for.
    private var continued: PartialBody? {
        guard let sink, !asksForPart, let head = sink.head else { return nil }
        return PartialBody(head, count: sink.receivedCount)
    }

    var canContinue: Bool { continued != nil }

    /// Whether an answer began whose head is not there yet.
    var isInHead: Bool { response.status != 0 && verdict == nil }

    private func reset() {
        verdict = nil
        flow = nil
        refusal = nil
        refusedAddress = nil
        isPaused = false
        discarded = 0
        response.beginAnother()
    }

    func resume(_ now: Duration) {
        isPaused = false
        times.resume(now)
    }

    // MARK: - From libcurl

    /// Whether a connection may be made there.
    func mayConnect(to address: IPAddress?) -> Bool {
        // What is no address of a network is a socket that the configuration names.
        guard let address, !engine.configuration.addressPolicy.allows(address) else { return true }
        refusedAddress = address
        return false
    }

    /// Whether the request may be sent on a connection that leads there.
    func maySend(to address: IPAddress?) -> Bool {
        guard let address else { return refuse(.addressRefused(nil, request.url)) }
        guard engine.configuration.addressPolicy.allows(address) else {
            return refuse(.addressRefused(address, request.url))
        }
        return true
    }

    /// Why no address was reached, where that was the policy.
    var addressRefusal: ImageError? { refusedAddress.map { .addressRefused($0, request.url) } }

    private func touch(_ bytes: Int) {
        if let clock { times.touch(clock.now, bytes: bytes) }
    }

    /// Whether libcurl is to go on.
    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        touch(line.count)
        switch response.take(line) {
        case .status, .field: return true
        case .end: return takeHead()
        case .overLimit:
            return refuse(
                ImageError(
                    .network, stage: .load,
                    "The answer's header fields are longer than the configuration's maximumHeaderLength.",
                    url: request.url))
        }
    }

    private func takeHead() -> Bool {
        let length: Int?
        switch response.statedLength {
        case .none: length = nil
        case .bytes(let count): length = count
        case .contradictory:
            return refuse(
                ImageError(
                    .network, stage: .load, "The answer states two lengths of its body.", url: request.url))
        }
        let head = ResponseHead(
            status: response.status, headers: response.headers, url: hop.url, expectedLength: length)
        let verdict = engine.judge.judge(head, of: request, partial?.body)
        if case .informational = verdict { return true }
        self.verdict = verdict
        flow = nil
        switch verdict {
        case .body(let head, let coding):
            partial = nil
            return begin(head, BodyFlow(coding))
        case .rest(let head): return begin(head, BodyFlow(.identity, after: partial?.data))
        default: return true
        }
    }

    /// The body begins; its rest, where the sink has its beginning, goes on.
    private func begin(_ head: ResponseHead, _ flow: BodyFlow?) -> Bool {
        guard let flow else { return refuse(.outOfMemory(request.url)) }
        self.flow = flow
        observers.tell(self, .responded(head))
        if let partial, partial.data == nil { return sink != nil }
        do throws(ImageError) {
            try sink?.begin(head)
            return sink != nil
        } catch {
            return false
        }
    }

    /// What libcurl's write function is to answer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        touch(bytes.count)
        guard let flow else {
            // A short error page is read to its end, so that the connection can be used again; a long one is not.
            discarded += bytes.count
            return discarded <= Self.longestErrorPage ? bytes.count : 0
        }
        guard let sink else { return 0 }
        switch flow.take(bytes, into: sink) {
        case .accepted: return bytes.count
        case .stop:
            if let failure = flow.failure { _ = refuse(.coding(failure, request.url)) }
            return 0
        case .pause:
            isPaused = true
            times.pause()
            sink.onResume { [engine, id] in engine.send(.resume(id)) }
            return Int(CURL_WRITEFUNC_PAUSE)
        }
    }

    private func refuse(_ error: ImageError) -> Bool {
        refusal = refusal ?? error
        return false
    }
}

extension ImageError {
    static func outOfMemory(_ url: URL) -> ImageError {
        ImageError(
            .outOfMemory, stage: .load, "There is no memory for a transfer.", url: url, isRetryable: true)
    }

    fileprivate static func addressRefused(_ address: IPAddress?, _ url: URL) -> ImageError {
        ImageError(
            .addressRefused, stage: .load,
            "The address \(address?.description ?? "of the connection") may not be reached; the loader's address "
                + "policy does not allow it.", url: url)
    }

    fileprivate static func coding(_ failure: ContentDecoder.Failure, _ url: URL) -> ImageError {
        guard failure == .damaged else { return outOfMemory(url) }
        return ImageError(
            .contentCoding, stage: .load, "The compressed body is damaged.", url: url, isRetryable: true)
    }
}
