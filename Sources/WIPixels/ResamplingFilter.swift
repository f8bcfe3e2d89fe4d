// SPDX-License-Identifier: MIT

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The kernel that weighs source pixels; widened when a picture shrinks, so that nothing aliases.
package enum ResamplingFilter: String, CaseIterable, Sendable {
    /// The pixel under the centre; never averages.
    case nearest
    /// The mean of the pixels covered.
    case box
    /// A triangle.
    case bilinear
    /// Cubic with B = 0, C = 1/2 (Keys).
    case catmullRom
    /// Cubic with B = C = 1/3 (Mitchell and Netravali).
    case mitchell
    /// Windowed sinc with three lobes.
    case lanczos3

    /// How far the kernel reaches from its centre, in source pixels at scale 1.
    var support: Double {
        switch self {
        case .nearest, .box: 0.5
        case .bilinear: 1
        case .catmullRom, .mitchell: 2
        case .lanczos3: 3
        }
    }

    /// The kernel at distance `x` from its centre.
    func value(_ x: Double) -> Double {
        let x = abs(x)
        switch self {
        case .nearest, .box: return x <= 0.5 ? 1 : 0
        case .bilinear: return max(0, 1 - x)
        case .catmullRom: return Self.cubic(x, b: 0, c: 0.5)
        case .mitchell: return Self.cubic(x, b: 1.0 / 3, c: 1.0 / 3)
        case .lanczos3:
            guard x < 3 else { return 0 }
            guard x > 1e-9 else { return 1 }
            let angle = Double.pi * x
            return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
        }
    }

    private static func cubic(_ x: Double, b: Double, c: Double) -> Double {
        if x < 1 {
            let cube = (12 - 9 * b - 6 * c) * x * x * x
            return (cube + (-18 + 12 * b + 6 * c) * x * x + (6 - 2 * b)) / 6
        }
        guard x < 2 else { return 0 }
        let cube = (-b - 6 * c) * x * x * x
        return (cube + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6
    }
}
