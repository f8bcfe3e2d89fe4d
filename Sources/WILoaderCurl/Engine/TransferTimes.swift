// SPDX-License-Identifier: MIT
public import WICore

/// A transfer that is slower than this for so long ends with `timeout`.
public struct LowSpeedLimit: Hashable, Sendable {
    /// Bytes that must come within the time.
    public var bytes: ByteCount
    /// How long is measured.
    public var duration: Duration

    /// So many bytes within so long a time.
    public init(_ bytes: ByteCount, per duration: Duration) {
        self.bytes = bytes
        self.duration = duration
    }
}

/// The limits of time that a transfer has.
struct TransferLimits: Sendable {
    let inactivity: Duration
    let firstByte: Duration?
    let lowSpeed: LowSpeedLimit?
    /// How long all may take, and when it must be over.
    let total: Duration?
    let latestEnd: Duration?

    init(_ request: LoadRequest, _ configuration: CurlLoaderConfiguration, now: Duration) {
        inactivity = request.inactivityTimeout ?? configuration.inactivityTimeout
        firstByte = configuration.firstByteTimeout
        lowSpeed = configuration.lowSpeedLimit.flatMap { $0.duration > .zero ? $0 : nil }
        total = request.totalTimeout
        latestEnd = request.totalTimeout.map { now + $0 }
    }
}

/// What time does to a transfer. A pure value: the loop tells what happens and asks what is due.
struct TransferTimes: Sendable {
    /// What is to happen at a moment.
    struct Deadline: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case total, silence, firstByte, lowSpeed
            /// The next try may begin.
            case retry
        }

        let at: Duration
        let limit: Duration
        let kind: Kind
    }

    private let limits: TransferLimits
    private var began = Duration.zero
    private var lastActivity = Duration.zero
    private var hasAnswer = false
    private var isRunning = false
    private var isPaused = false
    private var retry: (at: Duration, delay: Duration)?
    /// When the speed began to be measured, and what came since.
    private var speed: (since: Duration, bytes: Int) = (.zero, 0)

    init(_ limits: TransferLimits) { self.limits = limits }

    var latestEnd: Duration? { limits.latestEnd }

    /// An exchange with a server begins: from now on silence counts.
    mutating func start(_ now: Duration) {
        (began, lastActivity, speed) = (now, now, (now, 0))
        (hasAnswer, isRunning, isPaused, retry) = (false, true, false, nil)
    }

    /// It has ended; the transfer waits for another turn, or for a retry.
    mutating func stop(retry: (at: Duration, delay: Duration)? = nil) {
        isRunning = false
        self.retry = retry
    }

    mutating func pause() { isPaused = true }

    mutating func resume(_ now: Duration) {
        isPaused = false
        lastActivity = now
        speed = (now, 0)
    }

    /// Something came.
    mutating func touch(_ now: Duration, bytes: Int) {
        lastActivity = now
        hasAnswer = true
        speed.bytes += bytes
    }

    /// What is due next; nil while no limit runs.
    var deadline: Deadline? {
        var first: Deadline?
        func consider(_ at: Duration, _ limit: Duration, _ kind: Deadline.Kind) {
            if let known = first, known.at <= at { return }
            first = Deadline(at: at, limit: limit, kind: kind)
        }
        if let total = limits.total, let end = limits.latestEnd { consider(end, total, .total) }
        if let retry { consider(retry.at, retry.delay, .retry) }
        // While it waits for its turn or for memory, the silence is not the server's.
        guard isRunning, !isPaused else { return first }
        consider(lastActivity + limits.inactivity, limits.inactivity, .silence)
        if let limit = limits.firstByte, !hasAnswer { consider(began + limit, limit, .firstByte) }
        if let limit = limits.lowSpeed, hasAnswer {
            consider(speed.since + limit.duration, limit.duration, .lowSpeed)
        }
        return first
    }

    /// Whether a moment of measuring speed has ended well; then the next one begins.
    mutating func isFastEnough(_ now: Duration) -> Bool {
        guard let limit = limits.lowSpeed, speed.bytes >= limit.bytes.bytes else { return false }
        speed = (now, 0)
        return true
    }
}
