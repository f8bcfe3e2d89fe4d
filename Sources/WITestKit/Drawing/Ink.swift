// SPDX-License-Identifier: MIT

/// A colour with alpha, not premultiplied; channels from 0 to 1.
package struct Ink: Hashable, Sendable {
    package var red: Float
    package var green: Float
    package var blue: Float
    package var alpha: Float

    package init(_ red: Float, _ green: Float, _ blue: Float, _ alpha: Float = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// A colour such as `0x1f2430`.
    package init(_ hex: UInt32, alpha: Float = 1) {
        self.init(
            Float(hex >> 16 & 255) / 255, Float(hex >> 8 & 255) / 255, Float(hex & 255) / 255, alpha)
    }

    /// A colour by its hue (0 to 1 is once around), saturation and brightness.
    package init(hue: Float, saturation: Float, brightness: Float) {
        func channel(_ offset: Float) -> Float {
            let position = (hue - hue.rounded(.down)) * 6 + offset
            let folded = position - (position / 6).rounded(.down) * 6
            return brightness * (1 - saturation * max(0, min(1, min(folded, 4 - folded))))
        }
        self.init(channel(5), channel(3), channel(1))
    }

    /// The colour between this one (0) and `other` (1).
    package func mixed(with other: Ink, _ part: Float) -> Ink {
        let part = max(0, min(1, part))
        return Ink(
            red + (other.red - red) * part, green + (other.green - green) * part,
            blue + (other.blue - blue) * part, alpha + (other.alpha - alpha) * part)
    }

    /// The same colour with its alpha multiplied.
    package func faded(_ factor: Float) -> Ink { Ink(red, green, blue, alpha * factor) }

    package static let white = Ink(1, 1, 1)
    package static let black = Ink(0, 0, 0)
    package static let clear = Ink(0, 0, 0, 0)
}
