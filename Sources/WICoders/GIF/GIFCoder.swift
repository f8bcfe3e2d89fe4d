// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WIPixels

/// GIF 87a and 89a.
///
/// The canvas is the logical screen (or the first frame's size where that has none) and starts transparent; the
/// background colour is not painted. The picture is the first frame on its canvas; an animation's frames come with it.
public struct GIFCoder: AnimatedImageCoder, ProgressiveImageCoder {
    /// The coder.
    public init() {}

    /// GIF.
    public var decodableFormats: Set<ImageFormat> { [.gif] }
    /// GIF.
    public var encodableFormats: Set<ImageFormat> { [.gif] }
    /// GIF.
    public var animatedFormats: Set<ImageFormat> { [.gif] }

    /// Walks the blocks: up to the first frame's data at least, and, for the other frames, as far as there are bytes.
    ///
    /// - Throws: ``ImageError`` with code `corruptData` for a file without a frame, or `truncatedData` for a complete
    ///   file that ends before its first.
    public func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        var head = GIFHead()
        switch try head.read(bytes) {
        case .complete: return .info(head.info)
        case .needs(let count):
            if !isComplete, !head.hasTrailer { return .needs(ByteCount(count)) }
            throw head.missingFrame(bytes.byteCount)
        }
    }

    /// The canvas, the pixels of the first frame as indices, and what resampling needs.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        GIFEstimate(info, options).total
    }

    /// Decodes a file's first frame on its canvas, at the size asked for, and opens the frames of an animation.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, a limit's code, `outOfMemory`, or
    ///   `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        try GIFDecoder(data, options).decode(work)
    }

    /// Opens the frames of a file that has several.
    ///
    /// Of cut and damaged frames, the pixels that exist are painted over the frame before, unless
    /// ``GIFDecoding/strictness`` refuses them. Readers poll for cancellation.
    ///
    /// - Throws: ``ImageError`` as ``decode(_:_:_:)`` does.
    public func frameSource(_ data: Data, _ options: DecodeOptions) throws -> (any FrameSource)? {
        try GIFDecoder(data, options).frameSource()
    }

    /// Shows the rows of the first frame while they arrive, then the frames behind it.
    ///
    /// Of an interlaced frame, rows stand in for those below them.
    /// - Throws: ``ImageError`` with code `unsupportedFeature` where the size depends on the number of frames, which is not
    ///   known before the end: ``DecodeOptions/scaleDownLimit`` without ``DecodeOptions/firstFrameOnly``.
    public func makeProgressiveDecoder(_ options: DecodeOptions) throws -> any ProgressiveDecoder {
        guard options.scaleDownLimit == nil || options.firstFrameOnly else {
            throw ArrivingFrames.unknownCount
        }
        return ArrivingDecoder(GIFArrivingPicture(options), .gif)
    }

    /// Encodes a picture, or all frames of an animation, by ``GIFEncoding``.
    ///
    /// Durations are kept in hundredths of a second, without drift. A loop count of 1 is written as none.
    /// - Throws: ``ImageError`` with code `dimensionLimit` for sides above 65,535, `fileSizeLimit`, `outOfMemory`,
    ///   `cancelled`, or what the frames throw.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .gif else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The GIF coder does not encode \(format).")
        }
        return try options.encode(image, as: format, usesQuality: false, work) { image, options, work in
            try GIFEncoder(image, options).encode(work)
        }
    }
}
