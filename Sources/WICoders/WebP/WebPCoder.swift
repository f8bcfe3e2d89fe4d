// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WIPixels

/// WebP through libwebp: lossy, lossless, with alpha, animated.
///
/// Decodes straight into the final pixels. The container is read here, and libwebp sees nothing but picture data. An
/// animation's canvas starts transparent; its background colour is not painted.
public struct WebPCoder: AnimatedImageCoder, ProgressiveImageCoder {
    /// The coder.
    public init() {}

    /// WebP.
    public var decodableFormats: Set<ImageFormat> { [.webp] }
    /// WebP.
    public var encodableFormats: Set<ImageFormat> { [.webp] }
    /// WebP.
    public var animatedFormats: Set<ImageFormat> { [.webp] }

    /// Reads the chunks: up to the first picture's header at least, and, for frames, EXIF and XMP behind it, as far as
    /// there are bytes.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, or `truncatedData` for a complete file that ends before its
    ///   picture.
    public func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        var head = WebPHead()
        switch try head.read(bytes) {
        case .complete: return .info(try head.info(bytes))
        case .needs(let count):
            if !isComplete { return .needs(ByteCount(count)) }
            throw WebPHead.cut(bytes.byteCount)
        }
    }

    /// The result, what scaling and turning make beside it, and what libwebp holds of a lossless picture: all of it.
    ///
    /// Whether a picture is lossless is not known here; it is taken to be.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        let plan = WebPPlan(info, options)
        let stored = info.storedSize
        let inside = ByteCount.saturating(stored.width, stored.height, 4) + .saturating(stored.width, 256)
        let decoded = info.hasAlpha || info.frameCount > 1 ? stored : plan.reduced
        let isResampled = plan.target != decoded
        let isTurned = plan.orientation != .up
        let isWide = options.pixelFormat.bitsPerChannel == 16
        let results = (isResampled ? 4 : 0) + (isTurned ? 4 : 0) + (isWide ? 8 : 0)
        // libwebp's own picture is gone when the others are made.
        let after = ByteCount.saturating(plan.target.width, plan.target.height, results)
        return .saturating(decoded.width, decoded.height, 4) + max(inside, after) + .kibibytes(512)
    }

    /// Decodes a still, or an animation's first frame on its canvas, at the size asked for, and opens the frames of an
    /// animation.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, `unsupportedFeature`, a limit's code,
    ///   `outOfMemory`, or `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        try WebPDecoder(data, options).decode(work)
    }

    /// Opens the frames of a file that has several; nil for a still.
    ///
    /// Of a cut file, the frames that are whole. A frame that is damaged shows what exists of it, unless
    /// ``WebPDecoding/strictness`` refuses it. Readers poll for cancellation.
    ///
    /// - Throws: ``ImageError`` as ``decode(_:_:_:)`` does.
    public func frameSource(_ data: Data, _ options: DecodeOptions) throws -> (any FrameSource)? {
        try WebPDecoder(data, options).frameSource()
    }

    /// Shows the rows of a still, or of an animation's first frame, while they arrive, then the frames behind it, each once it
    /// is whole.
    ///
    /// Nothing is shown of a picture whose EXIF block, and so its orientation, comes behind it.
    public func makeProgressiveDecoder(_ options: DecodeOptions) -> any ProgressiveDecoder {
        ArrivingDecoder(WebPArrivingPicture(options), .webp)
    }

    /// Encodes a picture, or all frames of an animation, by ``WebPEncoding``; pixels of 16 bits are reduced to 8.
    ///
    /// Durations are kept in milliseconds, without drift.
    /// - Throws: ``ImageError`` with code `dimensionLimit` for sides over 16,383, `metadataLimit`, `encodeFailed`,
    ///   `fileSizeLimit`, `outOfMemory`, `cancelled`, or what the frames throw.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .webp else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The WebP coder does not encode \(format).")
        }
        let usesQuality = options[WebPEncoding.self].usesQuality
        return try options.encode(image, as: format, usesQuality: usesQuality, work) { image, options, work in
            try WebPEncoder(image, options).encode(work)
        }
    }
}
