// SPDX-License-Identifier: MIT
public import WICore

extension DecodedImage {
    /// The picture in sRGB, its ICC profile gone; itself when it has none. Frames of an animation are converted as they are
    /// read.
    ///
    /// Decoders give CMYK and gray pictures as red, green and blue without their profile: those stay as they are.
    /// - Throws: ``ImageError`` with code `corruptData` when the profile cannot be read, `unsupportedFeature` when it is for
    ///   other colours than red, green and blue, `outOfMemory` or `cancelled`.
    public func convertedToSRGB(_ work: borrowing WorkContext = WorkContext()) throws -> DecodedImage {
        guard let profile = metadata.iccProfile else { return self }
        let conversion = SRGBConversion(from: profile)
        let pixels = try conversion.transform(pixels, work)
        var metadata = metadata
        metadata.iccProfile = nil
        return DecodedImage(
            pixels: pixels, format: format, metadata: metadata, loopCount: loopCount,
            frames: frames.map { TransformedFrames($0, conversion, canvasSize: pixels.size) })
    }
}
