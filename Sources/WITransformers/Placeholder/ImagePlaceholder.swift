// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// What is shown until a picture is there: a colour, or a few bytes that were made of the picture before.
public enum ImagePlaceholder: Hashable, Sendable {
    /// One colour.
    case color(SRGBColor)
    /// A text of some 30 characters.
    case blurHash(BlurHash)
    /// Some 25 bytes; with alpha and the aspect ratio.
    case thumbHash(ThumbHash)

    /// The placeholder as a picture of `size`, `rgba8` with straight alpha.
    ///
    /// Ask for a few dozen pixels and let the display enlarge them.
    /// - Throws: ``ImageError`` with code `invalidArgument` or `dimensionLimit` for sizes that cannot be, or `outOfMemory`.
    public func pixels(_ size: PixelSize) throws -> PixelBuffer {
        switch self {
        case .color(let color):
            try color.check("the placeholder")
            try SizeLimit.check(size, "A placeholder of \(size)")
            let paint = color.straight
            return try PixelBuffer.painted(size, .rgba8, .straight, from: .straight, WorkContext()) {
                row, _ in
                row.update(repeating: paint)
            }
        case .blurHash(let hash): return try hash.pixels(size)
        case .thumbHash(let hash): return try hash.pixels(size)
        }
    }
}

extension PixelBuffer {
    /// A copy whose longer side has at most `side` pixels, for hashes and palettes.
    func reduced(_ side: Int, _ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer {
        try resized(to: size.fitting(PixelSize(width: side, height: side)), filter: .box, work)
    }
}
