// SPDX-License-Identifier: MIT
internal import PixelShim
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
            source.format.bitsPerChannel == 8 && (isOpaque || source.alphaMode == .premultiplied)
            ? .rgba8 : .rgba16
        pixels = try source.converted(to: format, alphaMode: isOpaque ? source.alphaMode : .premultiplied)
        memory = pixels.withUnsafeBytes { [pixels] bytes in
            SharedPixels(
                picture: wi_sampled(
                    pixels: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    stride: pixels.bytesPerRow,
                    width: pixels.width, height: pixels.height, bits: Int32(pixels.format.bitsPerChannel)))
        }
    }

    /// Width × height.
    package var size: PixelSize { pixels.size }

    /// The colour at a point, where the first pixel's centre is at (0.5, 0.5): by the cubic kernel of Keys over four by four
    /// pixels, kept within what can be. The point lies in the picture, or not far from it.
    package func cubic(_ x: Double, _ y: Double) -> PixelColor {
        var color = PixelColor.zero
        withUnsafeMutableBytes(of: &color) { bytes in
            guard let target = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            withUnsafePointer(to: memory.picture) { wi_sample_cubic($0, x, y, target) }
        }
        return color
    }
}

/// The bytes of a picture that its owner keeps alive. `@unchecked Sendable`: nobody writes them any more.
private struct SharedPixels: @unchecked Sendable {
    let picture: wi_sampled
}
