// SPDX-License-Identifier: MIT
internal import PixelShim
package import WICore

extension PixelBuffer {
    /// The pixels turned upright from `orientation`; the buffer itself when that is `.up`.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package func oriented(_ orientation: Orientation) throws(ImageError) -> PixelBuffer {
        guard orientation != .up else { return self }
        let turned = orientation.displaySize(of: size)
        var target = try MutablePixels(
            uninitialized: turned.width, height: turned.height, format: format, alphaMode: alphaMode)
        let stride = target.bytesPerRow
        withUnsafeBytes { source in
            target.withUnsafeMutableBytes { bytes in
                wi_orient(
                    source.baseAddress?.assumingMemoryBound(to: UInt8.self), bytesPerRow,
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), stride, width, height,
                    format.bytesPerPixel, Int32(orientation.rawValue))
            }
        }
        return target.publish()
    }
}
