// SPDX-License-Identifier: MIT
internal import WICore

/// One image of a file: what its descriptor and the graphic control extension before it say (GIF89a, sections 20, 23).
struct GIFFrame: Hashable, Sendable {
    /// What becomes of the frame's rectangle before the next frame is drawn.
    enum Disposal: UInt8, Sendable {
        case keep = 1
        /// Cleared to transparent: the background colour is not painted.
        case clear = 2
        /// Put back to what it was before the frame.
        case restore = 3
    }

    var left = 0
    var top = 0
    var width = 0
    var height = 0
    var isInterlaced = false
    /// Where the colour table lies in the file: the frame's own, or the file's; empty where there is none.
    var palette = 0..<0
    /// Where the code size stands, which the picture data follow.
    var data = 0
    var control = Control()

    /// The graphic control extension.
    struct Control: Hashable, Sendable {
        var disposal = Disposal.keep
        var transparentIndex: UInt8?
        /// In hundredths of a second.
        var delay: UInt16 = 0

        init() {}

        /// The extension whose four bytes begin at `offset`; values that are reserved count as `keep`.
        init?(_ bytes: RawSpan, at offset: Int) {
            guard let packed = bytes.byte(offset), let delay = bytes.littleEndian16(offset + 1),
                let index = bytes.byte(offset + 3)
            else { return nil }
            disposal = Disposal(rawValue: packed >> 2 & 7) ?? .keep
            transparentIndex = packed & 1 == 1 ? index : nil
            self.delay = UInt16(truncatingIfNeeded: delay)
        }
    }

    var durationMilliseconds: Double { Double(control.delay) * 10 }
    var size: PixelSize { PixelSize(width: width, height: height) }
    /// Entries of the colour table.
    var colorCount: Int { palette.count / 3 }
    var isEmpty: Bool { width == 0 || height == 0 }

    /// Whether some of it is seen on a canvas of that size.
    func touches(_ canvas: PixelSize) -> Bool { !isEmpty && left < canvas.width && top < canvas.height }

    /// Whether it leaves nothing of a canvas of that size free.
    func covers(_ canvas: PixelSize) -> Bool {
        left == 0 && top == 0 && width >= canvas.width && height >= canvas.height
    }

    /// Whether every index that its data can hold is an opaque colour.
    func isOpaque(_ bytes: RawSpan) -> Bool {
        guard control.transparentIndex == nil, let codeSize = bytes.byte(data) else { return false }
        return codeSize <= 8 && colorCount >= 1 << Int(codeSize)
    }
}
