// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Gives a picture another size.
///
/// The result of ``FitMode/cover`` and ``FitMode/fill`` has exactly the size asked for. With ``FitMode/contain``, a width, a
/// height or a factor, sides that follow are rounded to the nearest whole pixel, halves up, and are never 0.
/// Colours are averaged premultiplied by alpha; format and alpha mode stay, opaque pictures stay opaque.
public struct ResizeTransformer: Transformer, Hashable {
    /// What is asked for.
    public let target: ResizeTarget
    /// How the picture goes into a box.
    public let fit: FitMode
    /// How pixels are weighed.
    public let kernel: ResamplingKernel
    /// Whether smaller pictures are enlarged.
    public let enlarges: Bool
    /// What is kept where ``FitMode/cover`` cuts off.
    public let gravity: Gravity
    /// Whether light is averaged, not stored values.
    public let usesLinearLight: Bool
    /// What a gravity that looks at pixels found in an animation's first frame.
    private var anchor: Anchor?

    /// A transformer to a box, a width, a height, or by a factor.
    ///
    /// A size that cannot be is an error of the transform: `invalidArgument` when a side or the factor is not positive,
    /// `dimensionLimit` when the result would have more pixels than the default of ``DecodeLimits/pixels``, or a side
    /// longer than that of ``DecodeLimits/side``.
    ///
    /// - Parameters:
    ///   - target: What is asked for.
    ///   - fit: How the picture goes into a box. Default ``FitMode/contain``.
    ///   - kernel: How pixels are weighed. Default ``ResamplingKernel/lanczos3``.
    ///   - enlarges: Whether smaller pictures are enlarged. Default yes, as SDWebImage's resizing transformer
    ///     does; `false` is what Nuke does unless told: no side is scaled up, and `cover` only cuts.
    ///   - gravity: What is kept where ``FitMode/cover`` cuts off. Default ``Gravity/center``.
    ///   - usesLinearLight: Whether light is averaged. Default no: stored values are, as in browsers. With light,
    ///     fine bright detail keeps its brightness.
    public init(
        _ target: ResizeTarget, fit: FitMode = .contain, kernel: ResamplingKernel = .lanczos3,
        enlarges: Bool = true, gravity: Gravity = .center, usesLinearLight: Bool = false
    ) {
        self.target = target
        self.fit = fit
        self.kernel = kernel
        self.enlarges = enlarges
        self.gravity = gravity
        self.usesLinearLight = usesLinearLight
    }

    /// A transformer to a box of `size` pixels; otherwise as `init(_:fit:kernel:enlarges:gravity:usesLinearLight:)`.
    public init(
        _ size: PixelSize, fit: FitMode = .contain, kernel: ResamplingKernel = .lanczos3,
        enlarges: Bool = true, gravity: Gravity = .center, usesLinearLight: Bool = false
    ) {
        self.init(
            .box(size), fit: fit, kernel: kernel, enlarges: enlarges, gravity: gravity,
            usesLinearLight: usesLinearLight)
    }

    /// What changes the pixels, and a version that changes with them: `resize(v1,300x300,contain,lanczos3)`.
    public var keyPart: KeyPart {
        var value = "v1,\(target)"
        if case .box = target { value += ",\(fit.rawValue)" }
        value += ",\(kernel.rawValue)"
        if !enlarges { value += ",shrink" }
        if cuts, gravity != .center { value += ",\(gravity.rawValue)" }
        if usesLinearLight, kernel != .nearest { value += ",linear" }
        return KeyPart("resize", value)
    }

    private var cuts: Bool {
        if case .box = target { return fit == .cover }
        return false
    }

    /// The picture in its new size; itself when it has that size already.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `dimensionLimit`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        try target.check()
        let layout = try layout(pixels, work)
        try SizeLimit.check(layout.size, "A resize to \(target)")
        if usesLinearLight {
            return try pixels.resizedInLinearLight(
                to: layout.size, from: layout.region, filter: kernel.filter, work)
        }
        return try pixels.resized(to: layout.size, from: layout.region, filter: kernel.filter, work)
    }

    private func layout(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws(ImageError) -> FitLayout
    {
        let plain = FitLayout(pixels.size, to: target, fit, enlarges: enlarges)
        guard cuts, gravity != .center else { return plain }
        let place: Anchor
        if let anchor { place = anchor } else { place = try found(in: pixels, plain, work) }
        return FitLayout(pixels.size, to: target, fit, enlarges: enlarges, anchor: place)
    }

    private func found(
        in pixels: PixelBuffer, _ plain: FitLayout, _ work: borrowing WorkContext
    ) throws(ImageError) -> Anchor {
        try gravity.anchor(
            in: pixels, width: plain.region.width / Double(pixels.width),
            height: plain.region.height / Double(pixels.height), work)
    }

    /// The same, with what the gravity finds in the first frame.
    ///
    /// - Throws: as ``transform(_:_:)``.
    public func settled(on pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> any Transformer {
        try target.check()
        guard cuts, gravity != .center else { return self }
        var settled = self
        settled.anchor = try found(
            in: pixels, FitLayout(pixels.size, to: target, fit, enlarges: enlarges), work)
        return settled
    }
}
