// SPDX-License-Identifier: MIT
package import WICore

/// What one frame does to the canvas of its animation.
package struct FrameStep: Hashable, Sendable {
    /// What becomes of the frame's rectangle before the next frame is painted.
    package enum Disposal: Hashable, Sendable {
        /// It stays.
        case keep
        /// It becomes transparent.
        case clear
        /// It becomes what it was before the frame.
        case restore
    }

    /// How a frame's pixels meet those of the canvas.
    package enum Coverage: Hashable, Sendable {
        /// What was there shines through somewhere.
        case blends
        /// They replace what was there, and some may be transparent.
        case replaces
        /// They replace what was there, and none is transparent.
        case opaque
    }

    /// The part of the canvas that is painted; nil for none.
    package var area: FrameArea?
    package var disposal: Disposal
    package var coverage: Coverage

    package init(area: FrameArea?, disposal: Disposal, coverage: Coverage) {
        self.area = area
        self.disposal = disposal
        self.coverage = coverage
    }
}

/// A rectangle of whole pixels that lies on a canvas and is not empty.
package struct FrameArea: Hashable, Sendable {
    package let x: Int
    package let y: Int
    package let width: Int
    package let height: Int

    /// The part of a rectangle that lies on `canvas`; nil where none does.
    package init?(x: Int, y: Int, width: Int, height: Int, on canvas: PixelSize) {
        guard x >= 0, y >= 0, x < canvas.width, y < canvas.height, width > 0, height > 0 else { return nil }
        self.x = x
        self.y = y
        self.width = min(width, canvas.width - x)
        self.height = min(height, canvas.height - y)
    }

    func covers(_ canvas: PixelSize) -> Bool { width == canvas.width && height == canvas.height }
}
