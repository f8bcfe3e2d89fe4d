// SPDX-License-Identifier: MIT
internal import WICore

/// What becomes of a colour, as three rows of red, green, blue and 1: each row gives one part of the new colour.
///
/// The named ones are those of the W3C's Filter Effects Module Level 1, on stored sRGB values as browsers reckon them.
public struct ColorMatrix: Hashable, Sendable {
    /// What red, green, blue and 1 count for in the new red.
    public var red: SIMD4<Double>
    /// What they count for in the new green.
    public var green: SIMD4<Double>
    /// What they count for in the new blue.
    public var blue: SIMD4<Double>

    /// A matrix of three rows. Colours go from 0 to 1.
    public init(red: SIMD4<Double>, green: SIMD4<Double>, blue: SIMD4<Double>) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Leaves colours as they are.
    public static let identity = ColorMatrix(
        red: SIMD4(1, 0, 0, 0), green: SIMD4(0, 1, 0, 0), blue: SIMD4(0, 0, 1, 0))

    /// Gray of the same brightness, by BT.709. `amount` 0 leaves colours, 1 (the default) takes them away.
    public static func grayscale(_ amount: Double = 1) -> ColorMatrix { saturation(1 - amount) }

    /// Colours at distance `factor` from their gray: 0 is gray, 1 leaves them, more makes them stronger.
    public static func saturation(_ factor: Double) -> ColorMatrix {
        let gray = SIMD4(0.2126, 0.7152, 0.0722, 0) * (1 - factor)
        return ColorMatrix(
            red: gray + identity.red * factor, green: gray + identity.green * factor,
            blue: gray + identity.blue * factor)
    }

    /// The brown of old photographs. `amount` 0 leaves colours, 1 (the default) is all of it.
    public static func sepia(_ amount: Double = 1) -> ColorMatrix {
        let rest = 1 - amount
        return ColorMatrix(
            red: SIMD4(0.393, 0.769, 0.189, 0) * amount + identity.red * rest,
            green: SIMD4(0.349, 0.686, 0.168, 0) * amount + identity.green * rest,
            blue: SIMD4(0.272, 0.534, 0.131, 0) * amount + identity.blue * rest)
    }

    /// Every part times `factor`: 0 is black, 1 leaves it.
    public static func brightness(_ factor: Double) -> ColorMatrix {
        ColorMatrix(red: identity.red * factor, green: identity.green * factor, blue: identity.blue * factor)
    }

    /// Every part at distance `factor` from the middle: 0 is gray, 1 leaves it, more makes it stronger.
    public static func contrast(_ factor: Double) -> ColorMatrix {
        let offset = SIMD4(0, 0, 0, 0.5 - 0.5 * factor)
        return ColorMatrix(
            red: identity.red * factor + offset, green: identity.green * factor + offset,
            blue: identity.blue * factor + offset)
    }

    /// The negative. `amount` 0 leaves colours, 1 (the default) turns them around.
    public static func invert(_ amount: Double = 1) -> ColorMatrix {
        let (factor, offset) = (1 - 2 * amount, SIMD4(0, 0, 0, amount))
        return ColorMatrix(
            red: identity.red * factor + offset, green: identity.green * factor + offset,
            blue: identity.blue * factor + offset)
    }

    /// Its twelve numbers, row by row.
    var numbers: [Double] {
        [red, green, blue].flatMap { row in row.indices.map { row[$0] } }
    }
}
