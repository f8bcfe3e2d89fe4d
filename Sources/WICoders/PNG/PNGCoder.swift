// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WIPixels

/// PNG (third edition), also animated (APNG).
///
/// Whole plain files go through libdeflate and vector code; interlaced, damaged and odd ones through libpng. Both give
/// the same pixels. The picture of an animation is its default image, which need not be one of its frames. Not done:
/// Apple's CgBI form, and writing animations.
public struct PNGCoder: AnimatedImageCoder, ProgressiveImageCoder {
    /// The coder.
    public init() {}

    /// PNG.
    public var decodableFormats: Set<ImageFormat> { [.png] }
    /// PNG.
    public var encodableFormats: Set<ImageFormat> { [.png] }
    /// None: of an animation, the default image is written.
    public var animatedFormats: Set<ImageFormat> { [] }

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

    /// Decodes a file's default image, at the size asked for, and opens the frames of an animation.
    ///
    /// An animation that breaks the rules for its chunks is a still, and the metadata say so.
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, `unsupportedFeature`, a limit's code,
    ///   `outOfMemory`, or `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        try PNGDecoder(data, options).decode(work)
    }

    /// Opens the frames of a file that has several, or one that is not its default image; nil for a still.
    ///
    /// Of a cut file, the frames that are whole. A frame whose data are damaged shows the rows that exist of it, unless
    /// ``PNGDecoding/strictness`` refuses it. Frames are composited with 8 bits. Readers poll for cancellation.
    ///
    /// - Throws: ``ImageError`` as ``decode(_:_:_:)`` does.
    public func frameSource(_ data: Data, _ options: DecodeOptions) throws -> (any FrameSource)? {
        try PNGDecoder(data, options).frameSource(WorkContext())
    }

    /// Shows the rows of the default image while they arrive, or each pass of an interlaced one, then the frames of an
    /// animation, each once it is whole.
    ///
    /// An EXIF block behind the picture data comes too late to turn it.
    public func makeProgressiveDecoder(_ options: DecodeOptions) -> any ProgressiveDecoder {
        ArrivingDecoder(PNGArrivingPicture(options), .png)
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
