// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WIPixels

/// Evan Wallace's ThumbHash: a picture's rough look, alpha and aspect ratio in some 25 bytes.
public struct ThumbHash: Hashable, Sendable {
    /// The hash.
    public let bytes: Data
    let layout: ThumbHashLayout

    /// A hash that was made before.
    ///
    /// - Throws: ``ImageError`` with code `truncatedData` when bytes are missing, `corruptData` when they are no hash.
    public init(bytes: Data) throws(ImageError) {
        layout = try ThumbHashLayout(Array(bytes))
        self.bytes = bytes
    }

    /// A hash that was made before, as base64.
    ///
    /// - Throws: as `init(bytes:)`, and `corruptData` when it is no base64.
    public init(base64: String) throws(ImageError) {
        guard let bytes = Data(base64Encoded: base64) else {
            throw ImageError(.corruptData, stage: .decode, "The ThumbHash is no base64.")
        }
        try self.init(bytes: bytes)
    }

    /// The hash of a picture.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory` or `cancelled`.
    public init(_ pixels: PixelBuffer, _ work: borrowing WorkContext = WorkContext()) throws {
        try self.init(bytes: Data(ThumbHashEncoder.encode(pixels.reduced(100, work))))
    }

    /// As text.
    public var base64: String { bytes.base64EncodedString() }

    /// Width ÷ height, roughly.
    public var aspectRatio: Double { Double(layout.across) / Double(layout.down) }

    /// The mean of the picture's colours.
    public var averageColor: SRGBColor {
        SRGBColor(
            ThumbHashLayout.color(layout.luma.mean, layout.yellow.mean, layout.red.mean, layout.alpha.mean))
    }

    /// The picture, with 32 pixels on its longer side, or of `size`: `rgba8` with straight alpha.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` or `dimensionLimit` for sizes that cannot be, or `outOfMemory`.
    public func pixels(_ size: PixelSize? = nil) throws -> PixelBuffer {
        let size = size ?? ownSize
        try SizeLimit.check(size, "A placeholder of \(size)")
        guard size.width > 0, size.height > 0 else {
            throw ImageError(
                .invalidArgument, stage: .transform, "A placeholder cannot have the size \(size).")
        }
        let across = CosineBasis(ThumbHashLayout.mostWaves, length: size.width, offset: 0.5)
        let down = CosineBasis(ThumbHashLayout.mostWaves, length: size.height, offset: 0.5)
        return try PixelBuffer.painted(size, .rgba8, .straight, from: .straight, WorkContext()) { row, y in
            for x in row.indices { row[x] = layout.color(x, y, across, down) }
        }
    }

    private var ownSize: PixelSize {
        let ratio = aspectRatio
        return PixelSize(
            width: max(1, Int((ratio > 1 ? 32 : 32 * ratio).rounded())),
            height: max(1, Int((ratio > 1 ? 32 / ratio : 32).rounded())))
    }
}
