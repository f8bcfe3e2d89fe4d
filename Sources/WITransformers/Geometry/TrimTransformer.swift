// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Cuts off a border of one colour.
public struct TrimTransformer: Transformer, Hashable {
    /// How far a part of a colour may be from the border's, from 0 to 1.
    public let tolerance: Double

    /// A transformer. What looks like the upper left pixel, and lies around the rest, is the border; a picture that is all
    /// border stays.
    ///
    /// - Parameter tolerance: How far a part of a premultiplied colour may be from the border's: 0 is not at all, 1
    ///   however far. Default 0.04, ten steps of 255. Anything else is an error `invalidArgument` of the transform.
    public init(tolerance: Double = 0.04) { self.tolerance = tolerance }

    /// For example `trim(v1,0.04)`.
    public var keyPart: KeyPart { KeyPart("trim", "v1,\(KeyPart.number(tolerance))") }

    /// What the border surrounds.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try Parameter.check(tolerance, 0...1, "The tolerance")
        guard let rect = try content(pixels, work) else { return pixels }
        return try pixels.cropped(x: rect.x, y: rect.y, PixelSize(width: rect.width, height: rect.height))
    }

    /// The cut that suits the first frame; where that is all border, none.
    ///
    /// - Throws: as ``transform(_:_:)``.
    public func settled(on pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> any Transformer {
        try Parameter.check(tolerance, 0...1, "The tolerance")
        let whole = PixelRect(x: 0, y: 0, width: pixels.width, height: pixels.height)
        return CropTransformer(try content(pixels, work) ?? whole)
    }

    private func content(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws(ImageError)
        -> PixelRect?
    {
        let row = PixelRow.allocate(capacity: pixels.width)
        defer { row.deallocate() }
        row.initialize(repeating: .zero)
        pixels.read(row, y: 0, as: .premultiplied)
        let border = row[0]
        // Half a step of 16 bits: a tolerance of ten steps lets ten steps pass, whatever floats make of them.
        let most = Float(tolerance) + 1 / 131_070
        func isBorder(_ color: PixelColor) -> Bool {
            let distance = pointwiseMax(color, border) - pointwiseMin(color, border)
            return distance.max() <= most
        }
        var (left, right, top, bottom) = (pixels.width, -1, pixels.height, -1)
        for y in 0..<pixels.height {
            if y % 64 == 0 { try work.checkCancellation(.transform) }
            pixels.read(row, y: y, as: .premultiplied)
            guard let first = row.firstIndex(where: { !isBorder($0) }) else { continue }
            left = min(left, first)
            // Only what lies right of all that was found can matter.
            if let last = row[max(first, right)...].lastIndex(where: { !isBorder($0) }) {
                right = max(right, last)
            }
            top = min(top, y)
            bottom = y
        }
        guard bottom >= 0 else { return nil }
        return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
}
