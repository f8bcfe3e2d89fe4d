// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import WICore

/// One transfer. All but its end belongs to the engine's thread.
///
/// `@unchecked Sendable`: the mutable properties are touched by the engine's thread alone; the end is behind a lock.
final class CurlTransfer: @unchecked Sendable {
    private struct End: Sendable {
        var continuation: CheckedContinuation<Result<LoadResult, ImageError>, Never>?
        var result: Result<LoadResult, ImageError>?
    }

    let id: TransferQueue.ID
    let request: LoadRequest
    let sink: BodySink
    let host: String
    private let end = Locked(End())

    var easy: OpaquePointer?
    var fields: UnsafeMutablePointer<curl_slist>?
    var lastActivity = Duration.zero
    var startedAt = Duration.zero
    var isPaused = false
    private(set) var response = CurlResponse()
    private var hasBegun = false
    private var discarded = 0
    private let now: @Sendable () -> Duration
    private let onPause: @Sendable (TransferQueue.ID) -> Void

    init(
        _ id: TransferQueue.ID, _ request: LoadRequest, _ sink: BodySink, now: @escaping @Sendable () -> Duration,
        onPause: @escaping @Sendable (TransferQueue.ID) -> Void
    ) {
        self.id = id
        self.request = request
        self.sink = sink
        self.now = now
        self.onPause = onPause
        host = "\(request.url.scheme ?? "")://\(request.url.host() ?? ""):\(request.url.port ?? 0)"
    }

    // MARK: - The end

    func wait(_ continuation: CheckedContinuation<Result<LoadResult, ImageError>, Never>) {
        let result = end.withLock { end in
            if end.result == nil { end.continuation = continuation }
            return end.result
        }
        if let result { continuation.resume(returning: result) }
    }

    /// Ends the transfer; the first end counts.
    func finish(_ result: Result<LoadResult, ImageError>) {
        let continuation = end.withLock { end -> CheckedContinuation<Result<LoadResult, ImageError>, Never>? in
            guard end.result == nil else { return nil }
            end.result = result
            defer { end.continuation = nil }
            return end.continuation
        }
        continuation?.resume(returning: result)
    }

    var isFinished: Bool { end.withLock { $0.result != nil } }

    // MARK: - From libcurl

    func takeHeader(_ line: UnsafeRawBufferPointer) {
        lastActivity = now()
        response.take(String(decoding: line, as: UTF8.self))
    }

    /// What libcurl's write function is to answer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastActivity = now()
        guard (200..<300).contains(response.status) else {
            // A short error page is read to its end, so that the connection can be used again; a long one is not.
            discarded += bytes.count
            return discarded <= 64 << 10 ? bytes.count : 0
        }
        guard beginBody() else { return 0 }
        switch sink.offer(RawSpan(_unsafeBytes: bytes)) {
        case .accepted: return bytes.count
        case .stop: return 0
        case .pause:
            isPaused = true
            let id = id, onPause = onPause
            sink.onResume { onPause(id) }
            return Int(CURL_WRITEFUNC_PAUSE)
        }
    }

    /// Tells the sink the head, once; false when it wants nothing of it.
    func beginBody() -> Bool {
        guard !hasBegun else { return true }
        hasBegun = true
        do throws(ImageError) {
            try sink.begin(head)
            return true
        } catch {
            return false
        }
    }

    var head: ResponseHead {
        let url = easy.flatMap { wi_easy_effective_url(UnsafeMutableRawPointer($0)) }.flatMap { URL(string: String(cString: $0)) }
        return ResponseHead(
            status: response.status, headers: response.headers, url: url, expectedLength: response.bodyLength)
    }
}

/// The head of an answer as its lines come; each status line begins another one.
struct CurlResponse: Sendable {
    private(set) var status = 0
    private(set) var headers = HTTPHeaders()

    mutating func take(_ line: String) {
        if line.hasPrefix("HTTP/") {
            let words = line.split(separator: " ", maxSplits: 2)
            status = words.count > 1 ? Int(words[1].prefix(3)) ?? 0 : 0
            headers = HTTPHeaders()
            return
        }
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...]
        headers.add(String(line[..<colon]), Self.trimmed(value))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }

    /// The stated length of the body, where it is that of the bytes handed on.
    var bodyLength: Int? {
        guard headers["Content-Encoding"] == nil, headers["Transfer-Encoding"] == nil else { return nil }
        return headers["Content-Length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
