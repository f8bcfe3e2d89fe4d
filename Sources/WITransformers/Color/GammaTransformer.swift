// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Brightens or darkens the middle tones: every part of a colour is raised to the power of 1 / gamma. Alpha stays.
public struct GammaTransformer: Transformer, Hashable {
    /// Above 1 brightens, below 1 darkens.
    public let gamma: Double

    /// A transformer. Gamma lies between 0.01 and 100; anything else is an error `invalidArgument` of the transform.
    public init(_ gamma: Double) { self.gamma = gamma }

    /// For example `gamma(v1,2.2)`.
    public var keyPart: KeyPart { KeyPart("gamma", "v1,\(KeyPart.number(gamma))") }

    /// The picture with its tones changed.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try Parameter.check(gamma, 0.01...100, "Gamma")
        let isNarrow = pixels.format.bitsPerChannel == 8 && pixels.alphaMode != .premultiplied
        let most = isNarrow ? 255 : 65_535
        let table = (0...most).map { Float(pow(Double($0) / Double(most), 1 / gamma)) }
        let scale = Float(most)
        return try pixels.mapped(as: .straight, work) { row, _ in
            for x in row.indices {
                let steps = row[x].clamped(lowerBound: .zero, upperBound: .one) * scale + 0.5
                for channel in 0..<3 { row[x][channel] = table[Int(steps[channel])] }
            }
        }
    }
}
