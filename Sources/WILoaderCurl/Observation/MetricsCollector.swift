// SPDX-License-Identifier: MIT
internal import CurlShim
internal import WICore

/// Gathers the metrics of one transfer over its exchanges.
struct MetricsCollector: Sendable {
    private var metrics = TransferMetrics()
    private let began: Duration
    private var hasStarted = false

    init(began: Duration) { self.began = began }

    mutating func start(_ now: Duration) {
        guard !hasStarted else { return }
        hasStarted = true
        metrics.waited = now - began
    }

    mutating func redirect() { metrics.redirects += 1 }
    mutating func retry() { metrics.retries += 1 }

    /// Asks a handle about the exchange that it is done with.
    mutating func collect(_ easy: CurlEasy) {
        metrics.receivedBytes += Int(clamping: easy.number(CURLINFO_SIZE_DOWNLOAD_T))
        let isNew = easy.long(CURLINFO_NUM_CONNECTS) > 0
        metrics.isConnectionReused = !isNew && easy.time(CURLINFO_STARTTRANSFER_TIME_T) != nil
        metrics.nameLookup = isNew ? easy.time(CURLINFO_NAMELOOKUP_TIME_T) : nil
        metrics.connect = isNew ? easy.time(CURLINFO_CONNECT_TIME_T) : nil
        metrics.handshake = isNew ? easy.time(CURLINFO_APPCONNECT_TIME_T) : nil
        metrics.firstByte = easy.time(CURLINFO_STARTTRANSFER_TIME_T)
        metrics.remoteAddress = easy.string(CURLINFO_PRIMARY_IP)
        metrics.protocolVersion = Self.name(easy.long(CURLINFO_HTTP_VERSION))
    }

    /// The metrics at the transfer's end.
    func result(_ now: Duration, bodyBytes: Int) -> TransferMetrics {
        var result = metrics
        if !hasStarted { result.waited = now - began }
        result.total = now - began
        result.bodyBytes = bodyBytes
        return result
    }

    private static func name(_ version: Int) -> String? {
        switch version {
        case CURL_HTTP_VERSION_1_0: "HTTP/1.0"
        case CURL_HTTP_VERSION_1_1: "HTTP/1.1"
        case CURL_HTTP_VERSION_2_0: "HTTP/2"
        case CURL_HTTP_VERSION_3: "HTTP/3"
        default: nil
        }
    }
}

extension CurlEasy {
    fileprivate func number(_ info: CURLINFO) -> Int64 { wi_easy_get_number(raw, info) }

    fileprivate func long(_ info: CURLINFO) -> Int {
        var value = 0
        return wi_easy_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    /// Nil where it did not happen.
    fileprivate func time(_ info: CURLINFO) -> Duration? {
        let microseconds = number(info)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    fileprivate func string(_ info: CURLINFO) -> String? {
        guard let text = wi_easy_get_string(raw, info) else { return nil }
        let string = String(cString: text)
        return string.isEmpty ? nil : string
    }

    /// How long the server asks to wait; nil where it does not.
    var retryAfter: Duration? {
        let seconds = number(CURLINFO_RETRY_AFTER)
        return seconds > 0 ? .seconds(min(seconds, 1 << 32)) : nil
    }
}
