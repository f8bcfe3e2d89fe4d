// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore

/// PNG (third edition), also the default image of animated ones.
///
/// Whole plain files go through libdeflate and vector code; interlaced, damaged and odd ones through libpng. Both give
/// the same pixels. What `probe` says of an animation's frames is right. Not done: Apple's CgBI form.
public struct PNGCoder: ImageCoder {
    /// The coder.
    public init() {}

    /// PNG.
    public var decodableFormats: Set<ImageFormat> { [.png] }
    /// PNG.
    public var encodableFormats: Set<ImageFormat> { [.png] }

    /// Reads the chunks: up to the picture data at least, and, for frames and EXIF behind it, as far as there are bytes.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, or `truncatedData` for a complete file that ends before its
    ///   picture data.
    public func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        var head = PNGHead()
        switch try head.read(bytes) {
        case .complete: return .info(try head.info(bytes))
        case .needs(let count):
            if !isComplete { return .needs(ByteCount(count)) }
            throw ImageError(
                .truncatedData, stage: .decode,
                "The PNG file ends after \(bytes.byteCount) bytes, before its picture data.")
        }
    }

    /// The result, at the stored and at the final size, and what a whole file is inflated to with its joined chunks.
    ///
    /// The number of channels is not known here: four are assumed where there is alpha, three otherwise.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        let stored = info.storedSize
        let orientation = options.appliesOrientation ? info.orientation : .up
        let target = options.targetSize(for: orientation.displaySize(of: stored))
        let wide = options.pixelFormat.bitsPerChannel == 16
        let pixel = wide ? 8 : 4
        let result = ByteCount.saturating(stored.width, stored.height, pixel)
        // Two rows of libpng's, or all rows inflated and, at most as many, the chunks that hold them.
        let isWhole = !info.isMultiPass && !wide
        let row = ByteCount.saturating(stored.width, info.hasAlpha ? 4 : 3, max(8, info.bitsPerSample) / 8)
        let inflated = ByteCount.saturating(row.bytes, isWhole ? stored.height : 1, 2)
        let isCopied = target != stored || orientation != .up || (options.premultiplies && info.hasAlpha)
        let copy = isCopied ? ByteCount.saturating(target.width, target.height, pixel) : .zero
        // Reducing works on a premultiplied copy of straight pixels.
        let premultiplied = isCopied && info.hasAlpha ? result : .zero
        return result + max(inflated, copy + premultiplied)
    }

    /// Decodes a file's default image, at the size asked for.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, `unsupportedFeature`, a limit's code,
    ///   `outOfMemory`, or `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        try PNGDecoder(data, options).decode(work)
    }

    /// Encodes a picture as PNG of 8 or 16 bits, as its pixels are; premultiplied colour is divided by alpha.
    ///
    /// The rows are filtered here and deflated by libdeflate in one call.
    /// - Throws: ``ImageError`` with code `dimensionLimit`, `metadataLimit` for blocks that do not fit a chunk,
    ///   `outOfMemory`, or `cancelled`.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .png else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The PNG coder does not encode \(format).")
        }
        return try PNGEncoder(image, options, work).encode(work)
    }
}
