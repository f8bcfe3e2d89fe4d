// SPDX-License-Identifier: MIT
package import WICore

extension PixelBuffer {
    /// The pixels from (`x`, `y`) on that make up `size`; what lies outside is left out of it by the caller.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` where they do not lie inside the picture, or `outOfMemory`.
    package func cropped(x: Int, y: Int, _ size: PixelSize) throws(ImageError) -> PixelBuffer {
        if size == self.size, x == 0, y == 0 { return self }
        guard x >= 0, y >= 0, size.width > 0, size.height > 0,
            size.width <= width - x, size.height <= height - y
        else {
            throw ImageError(
                .invalidArgument, stage: .transform,
                "\(size) pixels at (\(x), \(y)) do not lie inside the picture of \(self.size).")
        }
        var target = try MutablePixels(
            uninitialized: size.width, height: size.height, format: format, alphaMode: alphaMode)
        let stride = target.bytesPerRow
        withUnsafeBytes { source in
            target.withUnsafeMutableBytes { bytes in
                guard let from = source.baseAddress, let into = bytes.baseAddress else { return }
                for row in 0..<size.height {
                    let start = from + (y + row) * bytesPerRow + x * format.bytesPerPixel
                    (into + row * stride).copyMemory(from: start, byteCount: stride)
                }
            }
        }
        return target.publish()
    }
}
