// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Turns a picture about its middle.
///
/// Pixels are weighed premultiplied by the cubic kernel of Keys; the picture's edges are smooth, as much of a pixel as
/// they cover. Quarters of a turn of a canvas that fits are exact.
public struct RotateTransformer: Transformer, Hashable {
    /// Degrees clockwise.
    public let degrees: Double
    /// Whether the canvas grows, or shrinks, to what the turned picture needs; else corners are cut off.
    public let fits: Bool
    /// What is to be seen beside the picture.
    public let background: SRGBColor

    /// A transformer.
    ///
    /// - Parameters:
    ///   - degrees: Clockwise; any finite number within a million. Anything else is an error `invalidArgument` of the
    ///     transform.
    ///   - fits: Whether the canvas takes the turned picture's size, rounded up. Default yes; `false` keeps the size and
    ///     cuts corners off.
    ///   - background: What is to be seen beside the picture. Default nothing: an opaque picture then gets alpha.
    public init(degrees: Double, fits: Bool = true, background: SRGBColor = .clear) {
        self.degrees = degrees
        self.fits = fits
        self.background = background
    }

    /// For example `rotate(v1,45,fit,0/0/0/0)`; turns of equal effect have equal parts.
    public var keyPart: KeyPart {
        KeyPart("rotate", "v1,\(KeyPart.number(angle)),\(fits ? "fit" : "clip"),\(background.key)")
    }

    /// From 0 to below 360; what is no number stays none.
    private var angle: Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        return rest < 0 ? rest + 360 : rest
    }

    /// The turned picture.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `dimensionLimit`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        try Parameter.checkFinite(degrees, "The angle")
        try background.check("the background")
        if let orientation = exactTurn { return try pixels.oriented(orientation) }
        let size = size(of: pixels.size)
        try SizeLimit.check(size, "A turn by \(KeyPart.number(degrees)) degrees")
        let mode =
            pixels.alphaMode == .opaque && background.alpha < 1 ? AlphaMode.straight : pixels.alphaMode
        let source = try SampledPixels(pixels)
        let turn = InverseTurn(degrees: angle, from: pixels.size, to: size)
        let paper = background.premultiplied
        return try PixelBuffer.painted(size, pixels.format, mode, from: .premultiplied, work) { row, y in
            for x in row.indices {
                let (u, v) = turn.point(x, y)
                let coverage = turn.coverage(u, v)
                let color = coverage > 0 ? source.cubic(u, v) * coverage : .zero
                row[x] = color + paper * (1 - color.w)
            }
        }
    }

    private var exactTurn: Orientation? {
        switch angle {
        case 0: .up
        case 90 where fits: .right
        case 180: .down
        case 270 where fits: .left
        default: nil
        }
    }

    private func size(of source: PixelSize) -> PixelSize {
        guard fits else { return source }
        let (across, down) = (abs(cos(angle * .pi / 180)), abs(sin(angle * .pi / 180)))
        let (width, height) = (Double(source.width), Double(source.height))
        // What lies above a whole number by rounding errors alone is that number.
        return PixelSize(
            width: Int((width * across + height * down - 1e-6).rounded(.up)),
            height: Int((width * down + height * across - 1e-6).rounded(.up)))
    }
}

/// From points of a turned canvas back to points of the picture.
private struct InverseTurn: Sendable {
    private let across: Double
    private let down: Double
    private let source: SIMD2<Double>
    private let target: SIMD2<Double>

    init(degrees: Double, from source: PixelSize, to target: PixelSize) {
        across = cos(degrees * .pi / 180)
        down = sin(degrees * .pi / 180)
        self.source = SIMD2(Double(source.width), Double(source.height))
        self.target = SIMD2(Double(target.width), Double(target.height))
    }

    /// The point of the picture that lies under the centre of a pixel.
    func point(_ x: Int, _ y: Int) -> (Double, Double) {
        let offset = SIMD2(Double(x) + 0.5, Double(y) + 0.5) - target / 2
        return (
            offset.x * across + offset.y * down + source.x / 2,
            offset.y * across - offset.x * down + source.y / 2
        )
    }

    /// How much of a pixel around a point the picture covers.
    func coverage(_ u: Double, _ v: Double) -> Float {
        func share(_ place: Double, _ side: Double) -> Double {
            min(max(place + 0.5, 0), 1) * min(max(side - place + 0.5, 0), 1)
        }
        return Float(share(u, source.x) * share(v, source.y))
    }
}
