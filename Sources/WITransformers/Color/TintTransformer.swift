// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Colours what is to be seen of a picture; what is transparent stays so.
public struct TintTransformer: Transformer, Hashable {
    /// The colour.
    public let color: SRGBColor
    /// How it mixes with the picture; nil where it takes the picture's place.
    public let mode: BlendMode?

    /// A transformer.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - mode: Nil, the default, fills the picture's shape with the colour, and the alphas are multiplied (Porter and
    ///     Duff's "source in", SDWebImage's default). A mode lays the colour over the picture, as strongly as its alpha says,
    ///     and leaves the picture's alpha ("source atop").
    public init(_ color: SRGBColor, mode: BlendMode? = nil) {
        self.color = color
        self.mode = mode
    }

    /// For example `tint(v1,1/0/0/1,fill)`.
    public var keyPart: KeyPart { KeyPart("tint", "v1,\(color.key),\(mode?.rawValue ?? "fill")") }

    /// The coloured picture. An opaque one stays opaque unless it is filled with a colour that is not.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try color.check("the tint")
        let tint = color.straight
        guard let mode else {
            let losesOpacity = pixels.alphaMode == .opaque && tint.w < 1
            return try pixels.mapped(as: .straight, to: losesOpacity ? .straight : pixels.alphaMode, work) {
                row, _ in
                for x in row.indices {
                    var filled = tint
                    filled.w *= row[x].w
                    row[x] = filled
                }
            }
        }
        return try pixels.mapped(as: .straight, work) { row, _ in
            for x in row.indices {
                let below = row[x]
                var mixed = below + tint.w * (mode.mix(below, tint) - below)
                mixed.w = below.w
                row[x] = mixed
            }
        }
    }
}
