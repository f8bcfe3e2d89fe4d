// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Puts a border around a picture.
public struct PadTransformer: Transformer, Hashable {
    /// How wide the border is.
    public enum Extent: Hashable, Sendable {
        /// Pixels on each side.
        case edges(top: Int, left: Int, bottom: Int, right: Int)
        /// What is missing to this size; the picture goes where the gravity says.
        case size(PixelSize, Gravity)
    }

    /// How wide the border is.
    public let extent: Extent
    /// Its colour.
    public let color: SRGBColor

    /// A transformer. Negative widths are an error `invalidArgument` of the transform, a result that is too large
    /// `dimensionLimit`.
    ///
    /// - Parameters:
    ///   - extent: How wide the border is. A picture that is longer than a size asked for stays as long.
    ///   - color: Its colour. Default nothing: an opaque picture then gets alpha.
    public init(_ extent: Extent, color: SRGBColor = .clear) {
        self.extent = extent
        self.color = color
    }

    /// A transformer with a border of the same width everywhere.
    public init(_ width: Int, color: SRGBColor = .clear) {
        self.init(.edges(top: width, left: width, bottom: width, right: width), color: color)
    }

    /// For example `pad(v1,5/5/5/5,0/0/0/1)` or `pad(v1,300x300,center,0/0/0/1)`.
    public var keyPart: KeyPart {
        switch extent {
        case .edges(let top, let left, let bottom, let right):
            KeyPart("pad", "v1,\(top)/\(left)/\(bottom)/\(right),\(color.key)")
        case .size(let size, let gravity):
            KeyPart("pad", "v1,\(size),\(gravity.rawValue),\(color.key)")
        }
    }

    /// The picture with its border.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `dimensionLimit`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        try color.check("the border")
        let (size, left, top) = try layout(pixels.size)
        if size == pixels.size { return pixels }
        let losesOpacity = pixels.alphaMode == .opaque && color.alpha < 1
        let paint = color.straight
        return try PixelBuffer.painted(
            size, pixels.format, losesOpacity ? .straight : pixels.alphaMode, from: .straight, work
        ) { row, y in
            row.update(repeating: paint)
            guard y >= top, y < top + pixels.height else { return }
            pixels.read(PixelRow(rebasing: row[left..<left + pixels.width]), y: y - top, as: .straight)
        }
    }

    /// The result's size, and where the picture begins in it.
    private func layout(_ source: PixelSize) throws(ImageError) -> (PixelSize, left: Int, top: Int) {
        switch extent {
        case .size(let size, let gravity):
            guard size.width > 0, size.height > 0 else { throw Self.unfit("The size \(size)") }
            let full = PixelSize(
                width: max(size.width, source.width), height: max(size.height, source.height))
            try SizeLimit.check(full, "A border up to \(size)")
            return (
                full, Anchor.start(gravity.anchor.x, full.width - source.width),
                Anchor.start(gravity.anchor.y, full.height - source.height)
            )
        case .edges(let top, let left, let bottom, let right):
            let widths = [top, left, bottom, right]
            // One that is longer than any side may be is refused by the limit, and sums do not overflow.
            guard widths.allSatisfy({ $0 >= 0 }) else { throw Self.unfit("The border \(widths)") }
            let most = Int(Int32.max)
            let full = PixelSize(
                width: source.width + min(left, most) + min(right, most),
                height: source.height + min(top, most) + min(bottom, most))
            try SizeLimit.check(full, "A border of \(widths) pixels")
            return (full, left, top)
        }
    }

    private static func unfit(_ what: String) -> ImageError {
        ImageError(.invalidArgument, stage: .transform, "\(what) is no border: widths must not be negative.")
    }
}
