// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// Makes pixels of bytes and bytes of pixels, for one format or several.
///
/// All calls are synchronous and made from the work pool's threads, several at a time. Whatever a coder throws that is
/// no ``ImageError`` reaches the caller as `corruptData` or `encodeFailed`, with the text of what was thrown.
public protocol ImageCoder: Sendable {
    /// The formats that it decodes.
    var decodableFormats: Set<ImageFormat> { get }
    /// The formats that it encodes.
    var encodableFormats: Set<ImageFormat> { get }

    /// The decodable format that the first bytes announce; nil when it is none of this coder's.
    ///
    /// Defaulted for the formats that ``ImageFormat`` names; a coder for a format of its own looks for its magic bytes.
    func format(of head: RawSpan) -> ImageFormat?

    /// Reads the head of a file, whose first bytes are of a decodable format.
    ///
    /// - Throws: when the head is damaged beyond use, or `isComplete` and it is cut.
    func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe

    /// Bytes that a decode with these options holds at its peak, the result included.
    func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount

    /// Decodes a whole file. Polls `work` for cancellation and checks `options.limits` before it allocates.
    ///
    /// - Throws: when nothing can be decoded. A cut or damaged file of which rows exist is no error: the metadata say
    ///   that it is partial.
    func decode(_ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext) throws -> DecodedImage

    /// Encodes a picture.
    ///
    /// An option that the coder cannot follow is an error, where the result would be another than was asked for:
    /// `maximumSize`, `maximumByteCount` and, for coders of animations, `firstFrameOnly`.
    ///
    /// - Throws: when `format` is none of `encodableFormats`, or the picture does not fit it.
    func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data
}

extension ImageCoder {
    /// ``ImageFormat/detect(_:)``, where it is one of the decodable formats.
    public func format(of head: RawSpan) -> ImageFormat? {
        ImageFormat.detect(head).flatMap { decodableFormats.contains($0) ? $0 : nil }
    }

    /// Whether it encodes `format`.
    public func canEncode(_ format: ImageFormat) -> Bool { encodableFormats.contains(format) }
}
