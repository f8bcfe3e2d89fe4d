// SPDX-License-Identifier: MIT

/// How stored pixels are to be turned for display: the values of EXIF tag 0x0112 (EXIF 2.32, section 4.6.4).
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// As stored.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by 180 degrees.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the diagonal from top left to bottom right.
    case leftMirrored = 5
    /// To be turned clockwise by 90 degrees.
    case right = 6
    /// Mirrored along the diagonal from top right to bottom left.
    case rightMirrored = 7
    /// To be turned anticlockwise by 90 degrees.
    case left = 8

    /// Whether width and height change places.
    public var exchangesSides: Bool { rawValue >= 5 }

    /// The size for display of pixels stored at `stored`.
    public func displaySize(of stored: PixelSize) -> PixelSize {
        exchangesSides ? stored.transposed : stored
    }
}
