// SPDX-License-Identifier: MIT

/// How a picture is to be decoded.
public struct DecodeOptions: Hashable, Sendable {
    /// The box that the displayed picture is to fit into; nil decodes at full size. Never enlarges.
    ///
    /// A side of 0 or less does not limit.
    public var thumbnailSize: PixelSize?
    /// Whether a thumbnail keeps its aspect ratio (default), or is stretched to exactly the box.
    public var preservesAspectRatio = true
    /// Bytes that the decoded pixels may take; larger pictures are decoded smaller, keeping their aspect ratio.
    ///
    /// Of an animation, all frames together. It is used instead of the thumbnail size where both are set.
    public var scaleDownLimit: ByteCount?
    /// Whether the file's orientation is applied (default), so that the pixels are upright.
    public var appliesOrientation = true
    /// Whether only the first frame of an animation is wanted.
    public var firstFrameOnly = false
    /// The pixels wanted. Default ``PixelFormat/rgba8``; a coder that cannot make others makes these.
    public var pixelFormat = PixelFormat.rgba8
    /// Whether colour is to be handed over multiplied by alpha. Default no.
    public var premultiplies = false
    /// Pixels per point of the result. Default 1.
    public var scale: Double = 1
    /// What a file may ask for.
    public var limits = DecodeLimits()
    private var settings = CodecSettingsTable()

    /// The defaults.
    public init() {}

    /// Settings of one codec, for example `options[JPEGDecoding.self].strictness`.
    public subscript<Settings: CodecSettings>(type: Settings.Type) -> Settings {
        get { settings[type] }
        set { settings[type] = newValue }
    }

    /// The displayed size to decode to, for a picture of `displaySize` with `frameCount` frames.
    public func targetSize(for displaySize: PixelSize, frameCount: Int = 1) -> PixelSize {
        if let scaleDownLimit {
            return Self.size(displaySize, within: scaleDownLimit, frames: frameCount, pixelFormat)
        }
        guard let box = thumbnailSize, box.width > 0 || box.height > 0 else { return displaySize }
        if preservesAspectRatio { return displaySize.fitting(box) }
        return PixelSize(
            width: box.width > 0 ? min(box.width, displaySize.width) : displaySize.width,
            height: box.height > 0 ? min(box.height, displaySize.height) : displaySize.height)
    }

    private static func size(
        _ size: PixelSize, within limit: ByteCount, frames: Int, _ format: PixelFormat
    ) -> PixelSize {
        let budget = Double(max(1, limit.bytes / format.bytesPerPixel / max(1, frames)))
        guard let count = size.pixelCount, Double(count) > budget else { return size }
        let factor = (budget / Double(count)).squareRoot()
        return PixelSize(
            width: max(1, Int(Double(size.width) * factor)), height: max(1, Int(Double(size.height) * factor))
        )
    }

    /// What these options add to the cache key: everything that changes pixels.
    package var keyParts: [KeyPart] {
        var parts: [KeyPart] = []
        if let limit = scaleDownLimit {
            parts.append(KeyPart("bytes", "\(limit.bytes)"))
        } else if let box = thumbnailSize, box.width > 0 || box.height > 0 {
            let mode = preservesAspectRatio ? "" : ",fill"
            parts.append(KeyPart("thumbnail", "\(max(0, box.width))x\(max(0, box.height))\(mode)"))
        }
        if !appliesOrientation { parts.append(KeyPart("orientation", "stored")) }
        if firstFrameOnly { parts.append(KeyPart("frames", "first")) }
        if pixelFormat != .rgba8 { parts.append(KeyPart("pixels", "\(pixelFormat)")) }
        if premultiplies { parts.append(KeyPart("alpha", "premultiplied")) }
        if scale != 1 { parts.append(KeyPart("scale", KeyPart.number(scale))) }
        return parts + settings.keyParts
    }
}
