// SPDX-License-Identifier: MIT

/// Which steps of a body are told: a large one would else be told a thousand times. A pure value.
struct ProgressGate: Sendable {
    /// The least step, as a share of the whole.
    private let step: Double
    private var next = 0

    init(step: Double) { self.step = step > 0 ? min(step, 1) : 0 }

    /// Whether it is told that so many bytes are there. The last ones always are, and all where the whole is not known.
    mutating func lets(_ received: Int, of expected: Int?) -> Bool {
        guard let expected, received < expected else { return true }
        guard received >= next else { return false }
        // No body has more bytes than a Double counts.
        next = received + Int(min(Double(expected) * step, 1e15))
        return true
    }
}

extension ContextKey where Value == Double {
    /// How much more must have come before progress is told again, and a preview made, as a share of the whole; the last
    /// bytes are always told. Of requests that share a load the first one's counts. Default 0.01.
    public static var progressInterval: Self { Self("progressInterval") }
}
