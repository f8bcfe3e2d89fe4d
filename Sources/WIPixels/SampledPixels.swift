// SPDX-License-Identifier: MIT
package import WICore

/// A picture that is asked for colours between its pixels, premultiplied; around it its border goes on.
package struct SampledPixels: Sendable {
    private let pixels: PixelBuffer
    private let memory: SharedPixels

    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package init(_ source: PixelBuffer) throws(ImageError) {
        // Eight bits are too few to multiply by alpha in.
        let isOpaque = source.isOpaque()
        let format: PixelFormat =
            source.format.bitsPerChannel == 8 && (isOpaque || source.alphaMode == .premultiplied) ? .rgba8 : .rgba16
        pixels = try source.converted(to: format, alphaMode: isOpaque ? source.alphaMode : .premultiplied)
        memory = pixels.withUnsafeBytes { SharedPixels(start: $0.baseAddress) }
    }

    /// Width × height.
    package var size: PixelSize { pixels.size }

    private func pixel(_ x: Int, _ y: Int) -> PixelColor {
        guard let start = memory.start else { return .zero }
        let column = min(max(x, 0), pixels.width - 1)
        let row = start + min(max(y, 0), pixels.height - 1) * pixels.bytesPerRow
        if pixels.format.bitsPerChannel == 8 {
            return PixelColor(row.load(fromByteOffset: 4 * column, as: SIMD4<UInt8>.self)) / 255
        }
        return PixelColor(row.load(fromByteOffset: 8 * column, as: SIMD4<UInt16>.self)) / 65535
    }

    /// The colour at a point, where the first pixel's centre is at (0.5, 0.5): by the cubic kernel of Keys over four by four
    /// pixels, kept within what can be.
    package func cubic(_ x: Double, _ y: Double) -> PixelColor {
        let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
        let across = Self.weights(Float(x - 0.5 - left))
        let down = Self.weights(Float(y - 0.5 - top))
        let (column, line) = (Int(left), Int(top))
        var sum = PixelColor.zero
        for row in 0..<4 {
            var part = PixelColor.zero
            for index in 0..<4 { part += across[index] * pixel(column + index - 1, line + row - 1) }
            sum += down[row] * part
        }
        let alpha = min(max(sum.w, 0), 1)
        sum.clamp(lowerBound: .zero, upperBound: PixelColor(repeating: alpha))
        sum.w = alpha
        return sum
    }

    /// What the pixels at distances -1, 0, 1 and 2 weigh for a point at `t` of the way from 0 to 1.
    private static func weights(_ t: Float) -> SIMD4<Float> {
        let (t2, t3) = (t * t, t * t * t)
        return SIMD4(
            -0.5 * t3 + t2 - 0.5 * t, 1.5 * t3 - 2.5 * t2 + 1, -1.5 * t3 + 2 * t2 + 0.5 * t, 0.5 * t3 - 0.5 * t2)
    }
}

/// The bytes of a picture that its owner keeps alive. `@unchecked Sendable`: nobody writes them any more.
private struct SharedPixels: @unchecked Sendable {
    let start: UnsafeRawPointer?
}
