// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// What happened to a transfer, as a line for people; without secrets of its URLs.
struct TransferLine: Sendable {
    let event: TransferEvent

    var text: String { "#\(event.transfer) \(redacted(event.url)): \(what)" }

    private var what: String {
        switch event.kind {
        case .started: return "started"
        case .redirected(let url): return "redirected to \(url.map { redacted($0) } ?? "?")"
        case .responded(let head):
            let type = head.headers["Content-Type"].map { ", \($0)" } ?? ""
            let length = head.expectedLength.map { ", \(ByteCount($0))" } ?? ""
            return "status \(head.status ?? 0)\(type)\(length)"
        case .retrying(let delay, let error): return "again in \(milliseconds(delay)): \(error.message)"
        case .stopped(let metrics, let error): return stopped(metrics, error)
        case .finished: return "finished"
        }
    }

    private func stopped(_ metrics: TransferMetrics, _ error: ImageError?) -> String {
        let times: [(String, Duration?)] = [
            ("waited", metrics.waited), ("name", metrics.nameLookup), ("connect", metrics.connect),
            ("TLS", metrics.handshake), ("first byte", metrics.firstByte), ("total", metrics.total),
        ]
        var parts = times.compactMap { name, time in time.map { "\(name) \(milliseconds($0))" } }
        parts.append("\(ByteCount(metrics.receivedBytes)) received")
        if let name = metrics.protocolVersion { parts.append(name) }
        if let address = metrics.remoteAddress { parts.append(address) }
        if metrics.isConnectionReused { parts.append("connection reused") }
        return (error.map { "stopped (\($0.code)): " } ?? "stopped: ") + parts.joined(separator: ", ")
    }

    private func milliseconds(_ time: Duration) -> String {
        fixedPoint(time / .milliseconds(1), decimals: 1) + " ms"
    }
}
