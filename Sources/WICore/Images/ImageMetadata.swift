// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// What is known about a picture beside its pixels. It describes the pixels that are handed over.
///
/// Once the orientation is applied it says ``Orientation/up``; a CMYK or gray ICC profile is dropped when the pixels
/// became RGB.
public struct ImageMetadata: Sendable, Equatable {
    /// Width × height as stored in the file, before orientation and scaling.
    public var storedSize: PixelSize
    /// How the handed-over pixels are still to be turned.
    public var orientation: Orientation
    /// The ICC profile of the pixels, as embedded.
    public var iccProfile: Data?
    /// The EXIF block: a TIFF stream, without the `Exif\0\0` that JPEG puts before it.
    public var exif: Data?
    /// The XMP packet.
    public var xmp: Data?
    /// Pixels per inch, horizontally and vertically, where the file says.
    public var density: PixelDensity?
    /// Pixels per point, 1 unless the request or its name (`@2x`) says otherwise.
    public var scale: Double
    /// Whether part of the picture is missing, because the file is cut or damaged.
    public var isPartial: Bool
    /// What the decoder had to put up with, in words.
    public var warnings: [String]

    /// Metadata of a picture stored at `storedSize`.
    public init(
        storedSize: PixelSize, orientation: Orientation = .up, iccProfile: Data? = nil, exif: Data? = nil,
        xmp: Data? = nil, density: PixelDensity? = nil, scale: Double = 1, isPartial: Bool = false,
        warnings: [String] = []
    ) {
        self.storedSize = storedSize
        self.orientation = orientation
        self.iccProfile = iccProfile
        self.exif = exif
        self.xmp = xmp
        self.density = density
        self.scale = scale
        self.isPartial = isPartial
        self.warnings = warnings
    }

    /// Bytes held beside the pixels.
    var byteCount: Int {
        (iccProfile?.count ?? 0) + (exif?.count ?? 0) + (xmp?.count ?? 0)
    }
}

/// Pixels per inch.
public struct PixelDensity: Hashable, Sendable {
    /// Along a row.
    public var horizontal: Double
    /// From row to row.
    public var vertical: Double

    /// A density in pixels per inch.
    public init(horizontal: Double, vertical: Double) {
        self.horizontal = horizontal
        self.vertical = vertical
    }
}
