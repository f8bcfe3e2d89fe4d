// SPDX-License-Identifier: MIT
public import WICore

/// When a load that failed is tried again by the loader itself.
///
/// Only what may help and does no harm is tried again: connections that could not be made or broke before the first byte of
/// the body, and the statuses named here. A load whose body has begun is never repeated; its rest is asked for, where the
/// server gave a strong `ETag`.
public struct RetryPolicy: Hashable, Sendable {
    /// Retries after the first try. Default 2.
    public var maximumRetries: Int
    /// The wait before the first retry, doubled with each further one. Default 250 ms.
    ///
    /// Each wait is shortened at random by up to a half, so that many clients do not come back at once.
    public var firstDelay = Duration.milliseconds(250)
    /// The longest wait that is chosen here. Default 10 s.
    public var maximumDelay = Duration.seconds(10)
    /// The longest `Retry-After` of a server that is waited for; a longer one ends the load. Default 30 s.
    public var longestRetryAfter = Duration.seconds(30)
    /// How long after its beginning a load may be tried again. Default 60 s; the request's total timeout holds as well.
    public var deadline = Duration.seconds(60)
    /// Requests of a lower priority are not tried again: what is prefetched can wait for its next chance. Default `.normal`.
    public var lowestPriority = LoadPriority.normal
    /// Statuses after which a retry may help. Default 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// A policy with so many retries.
    public init(maximumRetries: Int = 2) { self.maximumRetries = maximumRetries }

    /// Every failure is final.
    public static let none = RetryPolicy(maximumRetries: 0)
}

extension ContextKey where Value == RetryPolicy {
    /// When this request is tried again. Default: the loader's policy.
    public static var retryPolicy: Self { Self("retryPolicy") }
}

/// The retries of one load. A pure value.
struct RetrySchedule: Sendable {
    /// What is known about a failure.
    struct Failure: Sendable {
        /// Whether the request may be sent again without harm, and the failure may have been an accident.
        var isAccident = false
        var status: Int?
        /// What the server asked for.
        var retryAfter: Duration?
    }

    let policy: RetryPolicy
    private let latest: Duration
    private(set) var count = 0

    /// The schedule of a load that began at `began` and must be over at `latestEnd`.
    init(_ policy: RetryPolicy, began: Duration, latestEnd: Duration?) {
        self.policy = policy
        latest = min(began + max(.zero, policy.deadline), latestEnd ?? .seconds(Int64.max / 2))
    }

    /// How long to wait before the next try; nil where there is none. `random` is from 0 to 1.
    mutating func delay(
        after failure: Failure, _ priority: LoadPriority, now: Duration, random: Double
    ) -> Duration? {
        guard count < policy.maximumRetries, priority >= policy.lowestPriority else { return nil }
        guard failure.isAccident || failure.status.map(policy.statuses.contains) == true else { return nil }
        // A day's wait, and more doublings than these, lead beyond every limit.
        let doubled = min(max(.zero, policy.firstDelay), .seconds(86_400)) * (1 << min(count, 20))
        var delay = min(doubled, policy.maximumDelay) * (0.5 + (random > 0 ? min(random, 1) : 0) / 2)
        if let asked = failure.retryAfter {
            guard asked <= policy.longestRetryAfter else { return nil }
            delay = max(delay, asked)
        }
        guard now + delay < latest else { return nil }
        count += 1
        return delay
    }
}
