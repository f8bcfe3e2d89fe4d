// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore

/// GIF 87a and 89a.
///
/// The canvas is the logical screen (or the first frame's size where that has none) and starts transparent; the
/// background colour is not painted. The picture is the first frame on its canvas.
public struct GIFCoder: ImageCoder {
    /// The coder.
    public init() {}

    /// GIF.
    public var decodableFormats: Set<ImageFormat> { [.gif] }
    /// None.
    public var encodableFormats: Set<ImageFormat> { [] }

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

    /// Decodes a file's first frame on its canvas, at the size asked for.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, a limit's code, `outOfMemory`, or
    ///   `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        try GIFDecoder(data, options).decode(work)
    }

    /// Does not encode.
    ///
    /// - Throws: ``ImageError`` with code `unsupportedFormat`.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        throw ImageError(.unsupportedFormat, stage: .encode, "The GIF coder does not encode \(format).")
    }
}
