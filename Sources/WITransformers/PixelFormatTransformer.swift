// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// The same picture in another pixel format.
///
/// 16 bits become 8 by dropping the low byte, 8 bits become 16 times 257; alpha is multiplied in and divided out with
/// rounding to the nearest value.
public struct PixelFormatTransformer: Transformer, Hashable {
    /// The format of the pixels that come out.
    public let format: PixelFormat
    /// Whether colours come out multiplied by alpha; opaque pictures stay opaque.
    public let premultiplies: Bool

    /// A conversion to `format`, with straight alpha unless said otherwise.
    public init(_ format: PixelFormat, premultiplies: Bool = false) {
        self.format = format
        self.premultiplies = premultiplies
    }

    /// Format and alpha.
    public var keyPart: KeyPart {
        KeyPart("format", "\(format),\(premultiplies ? "premultiplied" : "straight")")
    }

    /// The pixels converted; the same pixels where there is nothing to do.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        let alphaMode: AlphaMode =
            pixels.alphaMode == .opaque ? .opaque : premultiplies ? .premultiplied : .straight
        return try pixels.converted(to: format, alphaMode: alphaMode)
    }
}
