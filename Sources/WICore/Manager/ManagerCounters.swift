// SPDX-License-Identifier: MIT

/// An observer that counts, for a server's metrics page. Safe from any thread.
public final class ManagerCounters: ManagerObserver {
    /// The counts so far.
    public struct Snapshot: Hashable, Sendable {
        /// Requests that were answered with a picture, by where it was found.
        public var hits: [ImageResult.Origin: Int] = [:]
        /// Requests that failed, by error code; cancelled ones among them.
        public var failures: [ImageError.Code: Int] = [:]
        /// Requests under way.
        public var running = 0
        /// Bytes that loaders brought.
        public var loadedBytes = 0
        /// Loads that brought bytes or a picture.
        public var loads = 0
        /// Loads whose answer was “not modified”.
        public var notModified = 0
        /// Decodes by their duration: how many took no longer than each of ``decodeBounds``, and the rest.
        public var decodes = Array(repeating: 0, count: ManagerCounters.decodeBounds.count + 1)
        /// Seconds spent in decodes.
        public var decodeSeconds = 0.0
    }

    /// Upper bounds of the decode histogram, in seconds.
    public static let decodeBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

    private let state = Locked(Snapshot())

    /// Counters that stand at zero.
    public init() {}

    /// The counts so far.
    public var snapshot: Snapshot { state.withLock { $0 } }

    /// Counts requests under way.
    public func began(_ stage: ObservedStage) {
        if stage.kind == .request { state.withLock { $0.running += 1 } }
    }

    /// Counts what the stage came to.
    public func ended(_ stage: ObservedStage, after duration: Duration, _ outcome: ObservedOutcome) {
        switch stage.kind {
        case .request: state.withLock { Self.countRequest(outcome, in: &$0) }
        case .load: state.withLock { Self.countLoad(outcome, in: &$0) }
        case .decode: state.withLock { Self.countDecode(duration, in: &$0) }
        case .query, .transform, .store: break
        }
    }

    private static func countRequest(_ outcome: ObservedOutcome, in counts: inout Snapshot) {
        counts.running -= 1
        switch outcome {
        case .found(let origin): counts.hits[origin, default: 0] += 1
        case .failed(let error): counts.failures[error.code, default: 0] += 1
        default: break
        }
    }

    private static func countLoad(_ outcome: ObservedOutcome, in counts: inout Snapshot) {
        switch outcome {
        case .loaded(let bytes):
            counts.loads += 1
            counts.loadedBytes += bytes.bytes
        case .notModified: counts.notModified += 1
        default: break
        }
    }

    private static func countDecode(_ duration: Duration, in counts: inout Snapshot) {
        let seconds = duration / .seconds(1)
        counts.decodeSeconds += seconds
        counts.decodes[decodeBounds.firstIndex { seconds <= $0 } ?? decodeBounds.count] += 1
    }

    /// The counts in Prometheus' text format, version 0.0.4; every name begins with `webimage_`.
    public var prometheusText: String {
        let counts = snapshot
        var text = PrometheusText()
        text.metric("requests_running", "gauge", "Requests under way.", [("", counts.running)])
        text.metric(
            "hits_total", "counter", "Requests answered with a picture, by where it was found.",
            counts.hits.map { ("{origin=\"\($0.key.rawValue)\"}", $0.value) })
        text.metric(
            "failures_total", "counter", "Requests that failed, by error code.",
            counts.failures.map { ("{code=\"\($0.key.rawValue)\"}", $0.value) })
        text.metric("loads_total", "counter", "Loads that brought something.", [("", counts.loads)])
        text.metric(
            "loads_not_modified_total", "counter", "Loads answered with “not modified”.",
            [("", counts.notModified)])
        text.metric(
            "loaded_bytes_total", "counter", "Bytes that loaders brought.", [("", counts.loadedBytes)])
        text.histogram(
            "decode_seconds", "Time of decodes.", bounds: Self.decodeBounds, counts: counts.decodes,
            sum: counts.decodeSeconds)
        return text.text
    }
}

private struct PrometheusText {
    private(set) var text = ""

    mutating func metric(
        _ name: String, _ type: String, _ help: String, _ samples: [(label: String, value: Int)]
    ) {
        begin(name, type, help)
        for sample in samples.sorted(by: { $0.label < $1.label }) {
            text += "webimage_\(name)\(sample.label) \(sample.value)\n"
        }
    }

    /// Buckets are cumulative, as the format has it.
    mutating func histogram(_ name: String, _ help: String, bounds: [Double], counts: [Int], sum: Double) {
        begin(name, "histogram", help)
        var total = 0
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], counts) {
            total += count
            text += "webimage_\(name)_bucket{le=\"\(bound)\"} \(total)\n"
        }
        text += "webimage_\(name)_sum \(sum)\nwebimage_\(name)_count \(total)\n"
    }

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP webimage_\(name) \(help)\n# TYPE webimage_\(name) \(type)\n"
    }
}
