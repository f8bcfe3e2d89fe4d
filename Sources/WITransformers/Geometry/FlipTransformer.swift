// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Mirrors a picture.
public struct FlipTransformer: Transformer, Hashable {
    /// Whether left and right change places.
    public let horizontally: Bool
    /// Whether top and bottom change places.
    public let vertically: Bool

    /// A transformer; with both it turns by 180 degrees, with neither it leaves the picture.
    public init(horizontally: Bool = false, vertically: Bool = false) {
        self.horizontally = horizontally
        self.vertically = vertically
    }

    /// For example `orientation(v1,2)`: the same part as an ``OrientationTransformer`` that does the same.
    public var keyPart: KeyPart { orientation.keyPart }

    private var orientation: OrientationTransformer {
        switch (horizontally, vertically) {
        case (false, false): OrientationTransformer(.up)
        case (true, false): OrientationTransformer(.upMirrored)
        case (false, true): OrientationTransformer(.downMirrored)
        case (true, true): OrientationTransformer(.down)
        }
    }

    /// The mirrored picture.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try orientation.transform(pixels, work)
    }
}

/// Turns and mirrors a picture as one of EXIF's orientations is turned for display: by quarters of a turn, exactly.
public struct OrientationTransformer: Transformer, Hashable {
    /// What is done; ``Orientation/right`` turns clockwise by 90 degrees.
    public let orientation: Orientation

    /// A transformer.
    public init(_ orientation: Orientation) { self.orientation = orientation }

    /// EXIF's number: `orientation(v1,6)`.
    public var keyPart: KeyPart { KeyPart("orientation", "v1,\(orientation.rawValue)") }

    /// The turned picture.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        return try pixels.oriented(orientation)
    }
}
