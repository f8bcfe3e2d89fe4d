// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// A Gaussian blur. The time that it takes does not go with sigma.
///
/// Colours are averaged premultiplied by alpha. Around the picture its border goes on, so that edges get neither darker
/// nor transparent. The result is within one step of 255 of the exact Gaussian.
public struct BlurTransformer: Transformer, Hashable {
    /// The Gaussian's standard deviation in pixels.
    public let sigma: Double

    /// A transformer.
    ///
    /// - Parameter sigma: The standard deviation in pixels, from 0, which leaves the picture, to 65,535. Anything else is an
    ///   error `invalidArgument` of the transform. SDWebImage's blur of radius r is nearly a Gaussian of sigma r.
    public init(sigma: Double) { self.sigma = sigma }

    /// For example `blur(v1,2.5)`.
    public var keyPart: KeyPart { KeyPart("blur", "v1,\(KeyPart.number(sigma))") }

    /// The blurred picture.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        try BlurTransformer.check(sigma)
        return BlurTransformer.isNothing(sigma) ? pixels : try pixels.blurred(sigma: sigma, work)
    }

    static func check(_ sigma: Double) throws(ImageError) {
        try Parameter.check(sigma, 0...65_535, "Sigma")
    }

    /// Whether the neighbours of a pixel have no weight that could be seen in 16 bits.
    static func isNothing(_ sigma: Double) -> Bool { sigma < 0.2 }
}
