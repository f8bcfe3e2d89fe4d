// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import WICore

/// One transfer: a request, the sink of its body, and its end.
///
/// `@unchecked Sendable`: the mutable properties are touched by the loop's thread alone once the transfer was given to it;
/// the end is behind a lock.
final class CurlTransfer: @unchecked Sendable {
    typealias Answer = Result<LoadResult, ImageError>

    private struct End: Sendable {
        var continuation: CheckedContinuation<Answer, Never>?
        var answer: Answer?
    }

    let id: TransferQueue.ID
    let request: LoadRequest
    let lines: [String]
    /// Whose cap on concurrent transfers counts.
    let host: String
    let usesTLS: Bool
    private let end = Locked(End())

    /// Nil once the transfer has ended: what the sink holds is then its owner's alone.
    var sink: BodySink?
    var easy: CurlEasy?
    /// When the load must be over.
    private let latestEnd: Duration?
    private var lastActivity = Duration.zero
    /// The loop's, while the transfer runs.
    private var clock: LoopClock?
    var isPaused = false
    private(set) var response: CurlResponse
    /// Why the loader itself gave the transfer up, where that was in one of libcurl's calls.
    private(set) var refusal: ImageError?
    private(set) var hasBegun = false
    private var discarded = 0
    private let onResume: @Sendable (TransferQueue.ID) -> Void
    /// Bytes of an error page that are read for the sake of the connection.
    private static let longestErrorPage = 64 << 10

    init(
        _ id: TransferQueue.ID, _ request: LoadRequest, lines: [String], _ sink: BodySink,
        headLimit: ByteCount,
        now: () -> Duration, onResume: @escaping @Sendable (TransferQueue.ID) -> Void
    ) {
        self.id = id
        self.request = request
        self.lines = lines
        self.sink = sink
        self.onResume = onResume
        let url = request.url
        let scheme = url.scheme?.lowercased()
        usesTLS = scheme == "https"
        host = "\(scheme ?? "")://\(url.host()?.lowercased() ?? ""):\(url.port ?? (usesTLS ? 443 : 80))"
        response = CurlResponse(limit: headLimit)
        latestEnd = request.totalTimeout.map { now() + $0 }
    }

    // MARK: - The end

    func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        let answer = end.withLock { end in
            if end.answer == nil { end.continuation = continuation }
            return end.answer
        }
        if let answer { continuation.resume(returning: answer) }
    }

    /// Ends the transfer; the first end counts.
    func finish(_ answer: Answer) {
        let continuation = end.withLock { end -> CheckedContinuation<Answer, Never>? in
            guard end.answer == nil else { return nil }
            end.answer = answer
            defer { end.continuation = nil }
            return end.continuation
        }
        continuation?.resume(returning: answer)
    }

    var isFinished: Bool { end.withLock { $0.answer != nil } }

    // MARK: - Time

    /// From now on silence counts.
    func startTime(_ clock: LoopClock) {
        self.clock = clock
        lastActivity = clock.now
    }

    /// Something came.
    func touch() {
        if let clock { lastActivity = clock.now }
    }

    /// When the transfer is to end with `timeout`, and after how long that is; nil while no limit runs.
    func deadline(inactivity: Duration) -> (at: Duration, limit: Duration, isTotal: Bool)? {
        var total: (at: Duration, limit: Duration, isTotal: Bool)?
        if let latestEnd, let limit = request.totalTimeout { total = (latestEnd, limit, true) }
        // While it waits for its turn or for memory, the silence is not the server's.
        guard easy != nil, !isPaused else { return total }
        let limit = request.inactivityTimeout ?? inactivity
        let silence = (at: lastActivity + limit, limit: limit, isTotal: false)
        guard let total, total.at < silence.at else { return silence }
        return total
    }

    // MARK: - From libcurl

    /// Whether libcurl is to go on.
    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        touch()
        switch response.take(line) {
        case .status, .field: return true
        case .end: return !response.isSuccess || begin()
        case .overLimit:
            refusal = ImageError(
                .network, stage: .load,
                "The answer's header fields are longer than the configuration's maximumHeaderLength.",
                url: request.url)
            return false
        }
    }

    /// What libcurl's write function is to answer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        touch()
        guard response.isSuccess else {
            // A short error page is read to its end, so that the connection can be used again; a long one is not.
            discarded += bytes.count
            return discarded <= Self.longestErrorPage ? bytes.count : 0
        }
        guard begin(), let sink else { return 0 }
        switch sink.offer(RawSpan(_unsafeBytes: bytes)) {
        case .accepted: return bytes.count
        case .stop: return 0
        case .pause:
            isPaused = true
            let id = id
            let onResume = onResume
            sink.onResume { onResume(id) }
            return Int(CURL_WRITEFUNC_PAUSE)
        }
    }

    /// Tells the sink the head, once; false when it wants nothing of it.
    func begin() -> Bool {
        guard !hasBegun else { return true }
        hasBegun = true
        do throws(ImageError) {
            try sink?.begin(head)
            return sink != nil
        } catch {
            return false
        }
    }

    var head: ResponseHead {
        ResponseHead(
            status: response.status, headers: response.headers, url: finalURL,
            expectedLength: response.bodyLength)
    }

    private var finalURL: URL? {
        guard response.redirects > 0 else { return request.url }
        return easy?.effectiveURL.flatMap { URL(string: $0) }
    }
}
