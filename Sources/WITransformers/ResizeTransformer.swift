// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Gives a picture another size.
///
/// The result of ``FitMode/cover`` and ``FitMode/fill`` has exactly the size asked for. With
/// ``FitMode/contain`` one side has it, and the other is rounded to the nearest whole pixel, never to 0.
/// Colours are averaged premultiplied by alpha; format and alpha mode stay, opaque pictures stay opaque.
public struct ResizeTransformer: Transformer, Hashable {
    /// The box in pixels.
    public let size: PixelSize
    /// How the picture goes into the box.
    public let fit: FitMode
    /// How pixels are weighed.
    public let kernel: ResamplingKernel
    /// Whether smaller pictures are enlarged to the box.
    public let enlarges: Bool

    /// A transformer to a box of `size` pixels.
    ///
    /// A size that cannot be is an error of the transform: `invalidArgument` when a side is not positive,
    /// `dimensionLimit` when the result would have more pixels than the default of ``DecodeLimits/pixels``, or a side
    /// longer than that of ``DecodeLimits/side``.
    ///
    /// - Parameters:
    ///   - size: The box in pixels.
    ///   - fit: How the picture goes into the box. Default ``FitMode/contain``.
    ///   - kernel: How pixels are weighed. Default ``ResamplingKernel/lanczos3``.
    ///   - enlarges: Whether smaller pictures are enlarged. Default yes, as SDWebImage's resizing transformer
    ///     does; `false` is what Nuke does unless told: no side is scaled up, and `cover` only cuts.
    public init(
        _ size: PixelSize, fit: FitMode = .contain, kernel: ResamplingKernel = .lanczos3,
        enlarges: Bool = true
    ) {
        self.size = size
        self.fit = fit
        self.kernel = kernel
        self.enlarges = enlarges
    }

    /// All parameters, and a version that changes with the pixels: `resize(v1,300x300,contain,lanczos3)`.
    public var keyPart: KeyPart {
        KeyPart("resize", "v1,\(size),\(fit.rawValue),\(kernel.rawValue)" + (enlarges ? "" : ",shrink"))
    }

    /// The picture in its new size; itself when it has that size already.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `dimensionLimit`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        guard size.width > 0, size.height > 0 else {
            throw ImageError(
                .invalidArgument, stage: .transform,
                "A picture cannot be resized to \(size): both sides must be positive.")
        }
        let layout = FitLayout(pixels.size, into: size, fit, enlarges: enlarges)
        try Self.check(layout.size, asked: size)
        return try pixels.resized(to: layout.size, from: layout.region, filter: kernel.filter, work)
    }

    private static func check(_ result: PixelSize, asked: PixelSize) throws(ImageError) {
        let limits = DecodeLimits()
        guard let count = result.pixelCount, count <= limits.pixels else {
            throw ImageError(
                .dimensionLimit, stage: .transform,
                "A resize to \(asked) would make more than the limit of \(limits.pixels) pixels; ask for less."
            )
        }
        guard max(result.width, result.height) <= limits.side else {
            throw ImageError(
                .dimensionLimit, stage: .transform,
                "A resize to \(asked) would make a side longer than the limit of \(limits.side) pixels; ask for less."
            )
        }
    }
}
