// SPDX-License-Identifier: MIT

/// An opaque colour in sRGB, 8 bits each.
public struct RGBColor: Hashable, Sendable {
    /// Red, 0 to 255.
    public var red: UInt8
    /// Green, 0 to 255.
    public var green: UInt8
    /// Blue, 0 to 255.
    public var blue: UInt8

    /// A colour.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// White.
    public static let white = RGBColor(red: 255, green: 255, blue: 255)
    /// Black.
    public static let black = RGBColor(red: 0, green: 0, blue: 0)
}

/// How a picture is to be encoded.
public struct EncodeOptions: Hashable, Sendable {
    /// Quality of lossy formats on libjpeg's scale, 1 to 100. Default 85.
    public var quality = 85
    /// What shows behind transparent pixels in formats without alpha. Default white.
    public var background = RGBColor.white
    /// The box in pixels into which the picture is made smaller, its ratio kept; nil, the default, is none.
    ///
    /// A side of 0 does not limit.
    public var maximumSize: PixelSize?
    /// The length that the file may have; nil, the default, is any.
    ///
    /// A lossy format gets the highest quality up to ``quality`` that keeps to it, found by encoding some eight times.
    /// Encoding throws `fileSizeLimit` where nothing does.
    public var maximumByteCount: ByteCount?
    /// Whether an animation is written as a still, its first frame. Default no.
    public var firstFrameOnly = false
    /// Whether the ICC profile is written. Default yes: without it the colours change.
    public var keepsICCProfile = true
    /// Whether EXIF is written. Default no: it holds places and names. Its orientation is set to that of the pixels.
    public var keepsEXIF = false
    /// Whether XMP is written. Default no, for the same reason.
    public var keepsXMP = false
    private var settings = CodecSettingsTable()

    /// The defaults.
    public init() {}

    /// Settings of one codec, for example `options[PNGEncoding.self].level`.
    public subscript<Settings: CodecSettings>(type: Settings.Type) -> Settings {
        get { settings[type] }
        set { settings[type] = newValue }
    }
}
