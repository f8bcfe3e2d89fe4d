// SPDX-License-Identifier: MIT
package import WICore

/// A rectangle of a picture in pixels, whose sides may lie between pixels; `y` counts from the top.
package struct SourceRegion: Hashable, Sendable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole picture.
    package init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    }

    /// Whether it lies inside a picture of `size` and is not empty; numbers that are none lie nowhere.
    func lies(in size: PixelSize) -> Bool {
        x >= 0 && y >= 0 && width > 0 && height > 0
            && x + width <= Double(size.width) && y + height <= Double(size.height)
    }
}
