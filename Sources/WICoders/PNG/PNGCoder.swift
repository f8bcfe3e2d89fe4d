// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore

/// PNG: every colour type and depth, interlaced, with transparency. Of an animation (APNG), the default picture.
///
/// A whole file is inflated by libdeflate in one call and unfiltered straight into RGBA; libpng does what is interlaced, cut
/// or odd, and the encoding. Both give the same pixels.
public struct PNGCoder: ImageCoder {
    /// The coder.
    public init() {}

    /// PNG.
    public var decodableFormats: Set<ImageFormat> { [.png] }
    /// PNG.
    public var encodableFormats: Set<ImageFormat> { [.png] }

    /// Reads the chunks: up to the picture's data while they arrive, all of them of a complete file, so that metadata and
    /// frames after the picture count.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `unsupportedFeature`, or `truncatedData` for a complete file that
    ///   ends before its picture.
    public func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        var head = PNGHead()
        let progress = try head.read(bytes, stopsAtPicture: !isComplete)
        try Self.refuseApple(head)
        switch progress {
        case .complete: return .info(head.info(bytes))
        case .cut(let needs):
            if !isComplete { return head.idats.isEmpty ? .needs(ByteCount(needs)) : .info(head.info(bytes)) }
            guard head.size.width > 0 else { throw Self.cut(bytes.byteCount) }
            return .info(head.info(bytes))
        }
    }

    /// The result, the inflated rows, and the joined data.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        let target = options.targetSize(for: info.displaySize)
        let bytes = options.pixelFormat.bytesPerPixel
        let full = ByteCount.saturating(info.storedSize.width, info.storedSize.height, bytes)
        let rows = ByteCount.saturating(info.storedSize.width, info.storedSize.height, info.bitsPerSample > 8 ? 8 : 4)
        return full + rows + .saturating(target.width, target.height, bytes)
    }

    /// Decodes a file, at the size asked for.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, `unsupportedFeature`, a limit's code, or
    ///   `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        try PNGDecoder(data, options).decode(work)
    }

    /// Encodes a picture as PNG, 8 or 16 bits, without an alpha channel when every pixel is opaque.
    ///
    /// - Throws: ``ImageError`` with code `encodeFailed`, `outOfMemory` or `cancelled`.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .png else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The PNG coder does not encode \(format).")
        }
        return try PNGEncoder(image, options).encode(work)
    }

    static func refuseApple(_ head: PNGHead) throws(ImageError) {
        guard head.isApple else { return }
        throw ImageError(
            .unsupportedFeature, stage: .decode, "The file is Apple's own variant of PNG (CgBI), which is no standard PNG.")
    }

    static func cut(_ count: Int) -> ImageError {
        ImageError(
            .truncatedData, stage: .decode, "The PNG file ends after \(count) bytes, before any picture data.")
    }
}
