// SPDX-License-Identifier: MIT
package import WICore

/// What is done to decoded pixels, as stored, before they are handed over.
package struct PictureFinish: Sendable {
    private let options: DecodeOptions
    private let size: PixelSize
    private let region: SourceRegion?
    private let orientation: Orientation

    /// Brings pixels, or a region of them, to `size`, turns them, and converts them as `options` ask for.
    package init(
        _ options: DecodeOptions, size: PixelSize, from region: SourceRegion? = nil,
        orientation: Orientation = .up
    ) {
        self.region = region
        self.options = options
        self.size = size
        self.orientation = orientation
    }

    /// The 8-bit format to decode to: 16 bits are made of it in the end.
    package var canvasFormat: PixelFormat { options.pixelFormat == .bgra8 ? .bgra8 : .rgba8 }

    /// The pixels in the size, format and alpha that were asked for.
    package func apply(_ stored: PixelBuffer, _ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer
    {
        let pixels = try stored.resized(to: size, from: region, filter: .lanczos3, work).oriented(orientation)
        let alpha: AlphaMode =
            options.premultiplies && pixels.alphaMode == .straight ? .premultiplied : pixels.alphaMode
        return try pixels.converted(to: options.pixelFormat, alphaMode: alpha)
    }
}
