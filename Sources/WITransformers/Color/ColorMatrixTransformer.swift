// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Changes every colour by a ``ColorMatrix``: grayscale, sepia, brightness, contrast, saturation, the negative. Alpha stays.
public struct ColorMatrixTransformer: Transformer, Hashable {
    /// What becomes of a colour.
    public let matrix: ColorMatrix

    /// A transformer, for example `ColorMatrixTransformer(.grayscale())`.
    ///
    /// Numbers that are none, or beyond a million, are an error `invalidArgument` of the transform.
    public init(_ matrix: ColorMatrix) { self.matrix = matrix }

    /// The matrix row by row: `colorMatrix(v1,1,0,0,0,…)`.
    public var keyPart: KeyPart {
        KeyPart("colorMatrix", "v1," + matrix.numbers.map(KeyPart.number).joined(separator: ","))
    }

    /// The picture with its colours changed; parts beyond 0 and 1 become these.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        for number in matrix.numbers { try Parameter.checkFinite(number, "A number of the colour matrix") }
        // By columns: what each part of the old colour gives to the new one.
        let rows = [matrix.red, matrix.green, matrix.blue].map(PixelColor.init)
        let columns = (0..<4).map { PixelColor(rows[0][$0], rows[1][$0], rows[2][$0], 0) }
        let (red, green, blue, constant) = (columns[0], columns[1], columns[2], columns[3])
        return try pixels.mapped(as: .straight, work) { row, _ in
            for x in row.indices {
                let color = row[x]
                var new = constant + red * color.x + green * color.y + blue * color.z
                new.w = color.w
                row[x] = new
            }
        }
    }
}
