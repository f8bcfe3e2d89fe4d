// SPDX-License-Identifier: MIT

/// How many transfers may start now, where there is a limit for each second. A pure value.
///
/// A second's worth may be saved up, at least one.
struct StartRate: Sendable {
    private let perSecond: Double
    private var saved: Double
    private var last: Duration?

    /// Nil where there is no limit.
    init?(perSecond: Double?) {
        guard let perSecond, perSecond > 0, perSecond.isFinite else { return nil }
        self.perSecond = perSecond
        saved = max(1, perSecond)
    }

    /// How many may start at this moment.
    mutating func allowance(_ now: Duration) -> Int {
        if let last, now > last {
            saved = min(max(1, perSecond), saved + (now - last) / .seconds(1) * perSecond)
        }
        last = now
        return Int(min(saved, 1_000_000))
    }

    mutating func take(_ count: Int) { saved -= Double(count) }

    /// When the next one may start.
    var next: Duration? {
        guard let last else { return nil }
        return last
            + .nanoseconds(Int64((max(0, 1 - saved) / perSecond * 1e9).rounded(.up).clamped(to: 0...1e18)))
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
