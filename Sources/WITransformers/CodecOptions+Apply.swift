// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WIPixels

// For coders of your own, which decode whole pictures and leave to others what is the same for every format.

extension DecodeOptions {
    /// What is asked for, made of a picture decoded as stored: turned upright, resized, in the format and with the alpha.
    ///
    /// - Parameter orientation: how the stored pixels are to be turned, where the file says; done only if
    ///   ``appliesOrientation``.
    /// - Throws: ``ImageError`` with code `outOfMemory` or `cancelled`.
    public func apply(
        to pixels: PixelBuffer, orientation: Orientation = .up, _ work: borrowing WorkContext
    ) throws -> PixelBuffer {
        let orientation = appliesOrientation ? orientation : .up
        let target = targetSize(for: orientation.displaySize(of: pixels.size))
        let resized = try pixels.resized(to: orientation.displaySize(of: target), filter: .lanczos3, work)
        return try PixelFormatTransformer(pixelFormat, premultiplies: premultiplies)
            .transform(try resized.oriented(orientation), work)
    }
}

extension EncodeOptions {
    /// Encodes by `encode` what these options leave of a picture: fitted into ``maximumSize``, a still where
    /// ``firstFrameOnly`` says so, and with the highest quality that keeps to ``maximumByteCount``.
    ///
    /// `encode` gets the picture and options with the quality to use; it is called once, or up to eight times in search.
    /// - Parameter usesQuality: whether ``quality`` changes what `encode` makes.
    /// - Throws: ``ImageError`` with code `fileSizeLimit`, `outOfMemory`, `cancelled`, or what `encode` throws.
    public func apply(
        to image: DecodedImage, as format: ImageFormat, usesQuality: Bool, _ work: borrowing WorkContext,
        encode: (DecodedImage, EncodeOptions, borrowing WorkContext) throws -> Data
    ) throws -> Data {
        try self.encode(image, as: format, usesQuality: usesQuality, work, by: encode)
    }
}
