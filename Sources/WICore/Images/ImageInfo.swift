// SPDX-License-Identifier: MIT

/// What the head of a file says, found without decoding pixels.
public struct ImageInfo: Hashable, Sendable {
    /// The format of the bytes.
    public var format: ImageFormat
    /// Width × height as stored; of an animation, its canvas.
    public var storedSize: PixelSize
    /// How the stored pixels are to be turned; `.up` when the file does not say, or says nonsense.
    public var orientation: Orientation
    /// Frames in the file, 1 for stills.
    public var frameCount: Int
    /// The file's number: 0 is for ever, 1 for stills and for a GIF without a loop block.
    public var loopCount: Int
    /// The file's own numbers, in milliseconds; empty for stills.
    public var frameDurationsMilliseconds: [Double]
    /// Whether the file can say "not opaque".
    public var hasAlpha: Bool
    /// Whether an ICC profile is embedded.
    public var hasICCProfile: Bool
    /// Bits of a sample as stored.
    public var bitsPerSample: Int
    /// Whether the picture arrives in several passes (progressive JPEG, interlaced PNG): a decoder holds more of it.
    public var isMultiPass: Bool

    /// What a head says, with the values of a plain still as defaults.
    public init(
        format: ImageFormat, storedSize: PixelSize, orientation: Orientation = .up, frameCount: Int = 1,
        loopCount: Int = 1, frameDurationsMilliseconds: [Double] = [], hasAlpha: Bool = false,
        hasICCProfile: Bool = false, bitsPerSample: Int = 8, isMultiPass: Bool = false
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.frameCount = frameCount
        self.loopCount = loopCount
        self.frameDurationsMilliseconds = frameDurationsMilliseconds
        self.hasAlpha = hasAlpha
        self.hasICCProfile = hasICCProfile
        self.bitsPerSample = bitsPerSample
        self.isMultiPass = isMultiPass
    }

    /// Width × height once the orientation is applied.
    public var displaySize: PixelSize { orientation.displaySize(of: storedSize) }
}

/// What a coder can say from the bytes seen so far.
public enum Probe: Hashable, Sendable {
    /// It takes at least so many bytes from the start to say more.
    case needs(ByteCount)
    /// The head is there. Where the bytes were not complete, frame counts may still grow.
    case info(ImageInfo)
}
