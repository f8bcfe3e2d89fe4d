// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Puts a picture on a colour, so that nothing of it is transparent any more.
public struct FlattenTransformer: Transformer, Hashable {
    /// The colour; its alpha counts as 1.
    public let color: SRGBColor

    /// A transformer. Default white.
    public init(_ color: SRGBColor = .white) { self.color = color }

    /// For example `flatten(v1,1/1/1/1)`.
    public var keyPart: KeyPart { KeyPart("flatten", "v1,\(opaque.key)") }

    private var opaque: SRGBColor { SRGBColor(red: color.red, green: color.green, blue: color.blue) }

    /// The picture on its colour, with alpha mode ``AlphaMode/opaque``; an opaque picture itself.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try opaque.check("the background")
        if pixels.alphaMode == .opaque { return pixels }
        let paper = opaque.premultiplied
        return try pixels.mapped(as: .premultiplied, to: .opaque, work) { row, _ in
            for x in row.indices { row[x] += paper * (1 - row[x].w) }
        }
    }
}
