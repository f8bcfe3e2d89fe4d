// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// An unsharp mask: what a Gaussian blur takes away is added once more. Alpha stays.
public struct SharpenTransformer: Transformer, Hashable {
    /// The blur's standard deviation in pixels.
    public let sigma: Double
    /// How much of the difference is added.
    public let amount: Double
    /// Differences up to this are left alone, from 0 to 1.
    public let threshold: Double

    /// A transformer.
    ///
    /// - Parameters:
    ///   - sigma: The blur's standard deviation in pixels, from 0 to 65,535. Default 1.
    ///   - amount: How much of the difference is added, from 0 to 100. Default 1.
    ///   - threshold: Differences of a premultiplied part up to this are left alone, so that noise is not sharpened; from 0
    ///     to 1. Default 0.
    ///
    /// Anything else is an error `invalidArgument` of the transform.
    public init(sigma: Double = 1, amount: Double = 1, threshold: Double = 0) {
        self.sigma = sigma
        self.amount = amount
        self.threshold = threshold
    }

    /// For example `sharpen(v1,1,0.5,0)`.
    public var keyPart: KeyPart {
        let numbers = [sigma, amount, threshold].map(KeyPart.number)
        return KeyPart("sharpen", "v1," + numbers.joined(separator: ","))
    }

    /// The sharpened picture.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        try BlurTransformer.check(sigma)
        try Parameter.check(amount, 0...100, "The amount")
        try Parameter.check(threshold, 0...1, "The threshold")
        if BlurTransformer.isNothing(sigma) || amount == 0 { return pixels }
        let blurred = try pixels.blurred(sigma: sigma, to: (.rgba16, .premultiplied), work)
        let (strength, least) = (Float(amount), PixelColor(repeating: Float(threshold)))
        return try pixels.mapped(as: .premultiplied, work) { row, y in
            withUnsafeTemporaryAllocation(of: PixelColor.self, capacity: row.count) { soft in
                blurred.read(soft, y: y, as: .premultiplied)
                for x in row.indices {
                    let sharp = row[x]
                    let difference = sharp - soft[x]
                    let counts = pointwiseMax(difference, -difference) .> least
                    var color = sharp + strength * PixelColor.zero.replacing(with: difference, where: counts)
                    color.clamp(lowerBound: .zero, upperBound: PixelColor(repeating: sharp.w))
                    color.w = sharp.w
                    row[x] = color
                }
            }
        }
    }
}
