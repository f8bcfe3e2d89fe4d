// SPDX-License-Identifier: MIT
internal import PixelShim
package import WICore

/// A rectangle of whole pixels; `y` counts from the top.
package struct PixelArea: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// All of a picture.
    package init(_ size: PixelSize) { self.init(x: 0, y: 0, width: size.width, height: size.height) }
}

extension PixelBuffer {
    /// The smallest area that holds all pixels that differ from another picture's, both of 8 bits and of one size; nil
    /// where none does.
    package func difference(from other: PixelBuffer) -> PixelArea? {
        let area = withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                wi_pixels_difference(
                    one.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    other.baseAddress?.assumingMemoryBound(to: UInt8.self), bytesPerRow, width, height)
            }
        }
        guard area.width > 0 else { return nil }
        return PixelArea(x: area.x, y: area.y, width: area.width, height: area.height)
    }
}
