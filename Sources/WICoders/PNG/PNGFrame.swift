// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// One frame of an animation: what its fcTL chunk says (PNG, third edition, section 11.3.4.2), and where its data lie.
struct PNGFrame: Hashable, Sendable {
    /// Bytes of an fcTL chunk's data.
    static let controlLength = 26

    /// What becomes of the frame's rectangle before the next frame is drawn.
    enum Disposal: UInt8, Sendable { case keep, clear, restore }

    private let left: UInt32
    private let top: UInt32
    private let width: UInt32
    private let height: UInt32
    private let delayNumerator: UInt16
    private let delayDenominator: UInt16
    let disposal: Disposal
    /// Whether what was there shines through, instead of being replaced.
    let blends: Bool
    /// From its first IDAT or fdAT chunk to the end of its last one; empty before there is any.
    var chunks = 0..<0

    /// The frame whose fcTL chunk's data begin at `offset`; nil where they say what cannot be on that canvas.
    init?(_ bytes: RawSpan, at offset: Int, canvas: PixelSize) {
        guard let width = bytes.bigEndian32(offset + 4), let height = bytes.bigEndian32(offset + 8),
            let left = bytes.bigEndian32(offset + 12), let top = bytes.bigEndian32(offset + 16),
            let numerator = bytes.bigEndian16(offset + 20), let denominator = bytes.bigEndian16(offset + 22),
            let disposal = bytes.byte(offset + 24).flatMap(Disposal.init),
            let blend = bytes.byte(offset + 25),
            blend < 2, width > 0, height > 0, left + width <= canvas.width, top + height <= canvas.height
        else { return nil }
        self.left = UInt32(truncatingIfNeeded: left)
        self.top = UInt32(truncatingIfNeeded: top)
        self.width = UInt32(truncatingIfNeeded: width)
        self.height = UInt32(truncatingIfNeeded: height)
        delayNumerator = UInt16(truncatingIfNeeded: numerator)
        delayDenominator = UInt16(truncatingIfNeeded: denominator)
        self.disposal = disposal
        blends = blend == 1
    }

    var x: Int { Int(left) }
    var y: Int { Int(top) }
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
    /// The stored fraction of a second, whose denominator of 0 stands for 100.
    var durationMilliseconds: Double {
        Double(delayNumerator) * 1000 / Double(delayDenominator == 0 ? 100 : delayDenominator)
    }

    /// What it does to a canvas of that size; `hasAlpha` is whether pixels of the file can be not opaque.
    func step(on canvas: PixelSize, hasAlpha: Bool) -> FrameStep {
        let disposal: FrameStep.Disposal =
            switch disposal {
            case .keep: .keep
            case .clear: .clear
            case .restore: .restore
            }
        return FrameStep(
            area: FrameArea(x: x, y: y, width: size.width, height: size.height, on: canvas),
            disposal: disposal, coverage: hasAlpha ? blends ? .blends : .replaces : .opaque)
    }
}
