// SPDX-License-Identifier: MIT
internal import ColorShim
public import FoundationEssentials
public import WICore
internal import WIPixels

/// Converts pixels from the colour space of an ICC profile to sRGB, by Little CMS with perceptual intent.
///
/// As a ``Transformer`` it suits pictures that are known to have one and the same profile; a picture's own profile is used by
/// ``WICore/DecodedImage/convertedToSRGB(_:)``.
public struct SRGBConversion: Transformer, Hashable {
    /// The profile that the pixels are in (ICC.1, any version that Little CMS reads).
    public let profile: Data

    /// A conversion. A profile that cannot be read, or is for other colours than red, green and blue, is an error of the
    /// transform.
    public init(from profile: Data) { self.profile = profile }

    /// The profile's bytes, in base64: `srgb(v1,…)`.
    public var keyPart: KeyPart { KeyPart("srgb", "v1,\(profile.base64EncodedString())") }

    /// The pixels in sRGB, in their own format and alpha mode.
    ///
    /// - Throws: ``ImageError`` with code `corruptData` when the profile cannot be read, `unsupportedFeature` when it is for
    ///   other colours than red, green and blue, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        let way = try ColorWay(profile, pixels.format)
        guard pixels.alphaMode != .premultiplied else {
            return try way.converted(pixels.converted(to: pixels.format, alphaMode: .straight), work)
                .converted(to: pixels.format, alphaMode: .premultiplied)
        }
        return try way.converted(pixels, work)
    }
}

/// The one owner of a way in C. `@unchecked Sendable`: the way is only read after it was made.
private final class ColorWay: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ profile: Data, _ format: PixelFormat) throws(ImageError) {
        var pointer: OpaquePointer?
        let result = profile.withUnsafeBytes { bytes in
            wi_color_create(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count,
                Int32(format.bitsPerChannel),
                format.order == .bgra, &pointer)
        }
        guard let pointer, result == WI_COLOR_DONE else {
            throw result == WI_COLOR_OTHER_SPACE
                ? ImageError(
                    .unsupportedFeature, stage: .transform,
                    "The ICC profile is for other colours than the red, green and blue of the pixels; they stay as they are "
                        + "without it.")
                : ImageError(
                    .corruptData, stage: .transform,
                    "The ICC profile of \(ByteCount(profile.count)) cannot be used; convert without it.")
        }
        self.pointer = pointer
    }

    deinit { wi_color_free(pointer) }

    func converted(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer {
        try pixels.mappedBytes(work) { [self] source, target in
            wi_color_run(
                pointer, source.assumingMemoryBound(to: UInt8.self),
                target.assumingMemoryBound(to: UInt8.self),
                pixels.width)
        }
    }
}
