// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WIPixels

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

    /// The result, and what is held beside it: the inflated rows and the chunks that they come from, or a few rows.
    ///
    /// The number of channels is not known here: four are assumed where there is alpha, three otherwise.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        PNGEstimate(info, options).total
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
    ///   `fileSizeLimit`, `outOfMemory`, or `cancelled`.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .png else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The PNG coder does not encode \(format).")
        }
        return try options.encode(image, as: format, usesQuality: false, work) { image, options, work in
            try PNGEncoder(image, options, work).encode(work)
        }
    }
}
