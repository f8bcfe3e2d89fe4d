// SPDX-License-Identifier: MIT

/// A picture that is there as long as somebody else holds its pixels, and its frames where it has some.
package struct WeakPicture: Sendable {
    /// Bytes of metadata at most: they are held, whatever becomes of the pixels.
    private static let metadataLimit = 1 << 16

    private weak var storage: PixelStorage?
    private weak var frames: (any FrameSource & AnyObject)?
    private let isAnimated: Bool
    private let width: Int
    private let height: Int
    private let bytesPerRow: Int
    private let pixelFormat: PixelFormat
    private let alphaMode: AlphaMode
    private let format: ImageFormat?
    private let metadata: ImageMetadata
    private let loopCount: Int

    /// Nil where more than a little would have to be held: large metadata, or frames that are a value.
    package init?(_ image: DecodedImage) {
        guard image.metadata.byteCount <= Self.metadataLimit else { return nil }
        isAnimated = image.frames != nil
        if let frames = image.frames {
            guard let object = frames as? any FrameSource & AnyObject else { return nil }
            self.frames = object
        }
        let pixels = image.pixels
        storage = pixels.storage
        (width, height, bytesPerRow) = (pixels.width, pixels.height, pixels.bytesPerRow)
        (pixelFormat, alphaMode) = (pixels.format, pixels.alphaMode)
        (format, metadata, loopCount) = (image.format, image.metadata, image.loopCount)
    }

    /// Whether the pixels are still there, as far as can be told without holding them.
    package var isAlive: Bool { storage != nil && (!isAnimated || frames != nil) }

    /// The picture, if it is still there.
    package var image: DecodedImage? {
        guard let storage else { return nil }
        let source = frames
        guard !isAnimated || source != nil else { return nil }
        let pixels = PixelBuffer(
            width: width, height: height, bytesPerRow: bytesPerRow, format: pixelFormat, alphaMode: alphaMode,
            storage: storage)
        return DecodedImage(
            pixels: pixels, format: format, metadata: metadata, loopCount: loopCount, frames: source)
    }
}
