// SPDX-License-Identifier: MIT

/// A coder that shows a picture while its bytes arrive.
public protocol ProgressiveImageCoder: ImageCoder {
    /// A decoder for one file that is still arriving, whose first bytes are of a decodable format.
    ///
    /// - Throws: when nothing can be shown before the end.
    func makeProgressiveDecoder(_ options: DecodeOptions) throws -> any ProgressiveDecoder
}

/// Decodes one file as it arrives. Used by one thread at a time.
public protocol ProgressiveDecoder: AnyObject, Sendable {
    /// Takes the bytes that follow those of the last call. Work is linear in the bytes, however they are cut.
    ///
    /// - Throws: when the file is damaged so that nothing more can be shown. The whole file is decoded all the same.
    func append(_ bytes: RawSpan, _ work: borrowing WorkContext) throws

    /// What can be seen so far; nil when that is no more than at the last call.
    ///
    /// - Throws: when nothing more can be shown.
    func preview(_ work: borrowing WorkContext) throws -> ImagePreview?
}

/// What can be seen of a picture that is still arriving. It is a type of its own, so that none can be stored.
public struct ImagePreview: Sendable {
    /// The pixels so far, of the size that the whole picture will have; what has not come is transparent or coarse.
    public let pixels: PixelBuffer
    /// The format that the picture is decoded from.
    public let format: ImageFormat?

    /// A preview of these pixels.
    public init(pixels: PixelBuffer, format: ImageFormat? = nil) {
        self.pixels = pixels
        self.format = format
    }
}
