// SPDX-License-Identifier: MIT

/// A decoded picture: its pixels, what is known about them, and, for an animation, where the frames come from.
public struct DecodedImage: Sendable {
    /// The pixels of the still, or of an animation's first frame; of an animated PNG, the default image, which is mostly the
    /// first frame.
    public let pixels: PixelBuffer
    /// The format that the picture was decoded from, or nil when it was made in memory.
    public let format: ImageFormat?
    /// What is known about the pixels.
    public let metadata: ImageMetadata
    /// How often an animation plays: 0 is for ever, 1 for stills.
    public let loopCount: Int
    /// The frames of an animation; nil for stills.
    public let frames: (any FrameSource)?
    /// Bytes that the picture holds in memory, fixed when it is made.
    public let memoryCost: ByteCount

    /// A picture of `pixels`. Without metadata, the stored size is that of the pixels.
    public init(
        pixels: PixelBuffer, format: ImageFormat? = nil, metadata: ImageMetadata? = nil, loopCount: Int = 1,
        frames: (any FrameSource)? = nil
    ) {
        self.pixels = pixels
        self.format = format
        self.metadata = metadata ?? ImageMetadata(storedSize: pixels.size)
        self.loopCount = loopCount
        self.frames = frames
        memoryCost = pixels.byteCount + ByteCount(self.metadata.byteCount) + (frames?.memoryCost ?? .zero)
    }

    /// Width × height of the pixels.
    public var size: PixelSize { pixels.size }

    /// Frames of an animation, 1 for a still.
    public var frameCount: Int { frames?.frames.count ?? 1 }

    /// The same picture with other pixels, as a transformer gives them. Without `frames` an animation becomes a still.
    public func replacingPixels(_ pixels: PixelBuffer, frames: (any FrameSource)? = nil) -> DecodedImage {
        DecodedImage(
            pixels: pixels, format: format, metadata: metadata, loopCount: frames?.loopCount ?? 1,
            frames: frames)
    }

    /// The same picture with its frames from another source.
    func replacingFrames(_ frames: any FrameSource) -> DecodedImage {
        DecodedImage(pixels: pixels, format: format, metadata: metadata, loopCount: loopCount, frames: frames)
    }
}
