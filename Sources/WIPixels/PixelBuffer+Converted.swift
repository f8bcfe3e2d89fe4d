// SPDX-License-Identifier: MIT
internal import PixelShim
package import WICore

extension PixelBuffer {
    /// The pixels in another format or alpha mode; the buffer itself when there is nothing to do.
    ///
    /// 16 bits become 8 by dropping the low byte, 8 become 16 by 257. Colour times alpha rounds to nearest, both ways.
    /// `.opaque` is only a word for what is opaque already: from another mode it fills alpha.
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package func converted(to format: PixelFormat, alphaMode: AlphaMode) throws(ImageError) -> PixelBuffer {
        var result = try reformatted(to: format)
        switch (self.alphaMode, alphaMode) {
        case (.opaque, _): result = result.relabelled(alphaMode == .opaque ? .opaque : alphaMode)
        case (.straight, .premultiplied): result = try result.mapped(to: alphaMode, wi_premultiply8, wi_premultiply16)
        case (.premultiplied, .straight): result = try result.mapped(to: alphaMode, wi_unpremultiply8, wi_unpremultiply16)
        case (_, .opaque):
            result = try result.mapped(
                to: .opaque,
                { source, target, count in
                    guard let source, let target else { return }
                    target.update(from: source, count: count * 4)
                    wi_fill_alpha8(target, count)
                },
                { source, target, count in
                    guard let source, let target else { return }
                    target.update(from: source, count: count * 4)
                    wi_fill_alpha16(target, count)
                })
        default: break
        }
        return result
    }

    /// Whether every pixel has full alpha, whatever the alpha mode says.
    package func isOpaque() -> Bool {
        if alphaMode == .opaque { return true }
        let width = width
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return true }
            return (0..<height).allSatisfy { row in
                let start = base + row * bytesPerRow
                return format.bitsPerChannel == 8
                    ? wi_is_opaque8(start.assumingMemoryBound(to: UInt8.self), width)
                    : wi_is_opaque16(start.assumingMemoryBound(to: UInt16.self), width)
            }
        }
    }

    private typealias Map8 = (UnsafePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, Int) -> Void
    private typealias Map16 = (UnsafePointer<UInt16>?, UnsafeMutablePointer<UInt16>?, Int) -> Void

    private func mapped(to alphaMode: AlphaMode, _ map8: Map8, _ map16: Map16) throws(ImageError) -> PixelBuffer {
        try rows(into: format, alphaMode) { source, target in
            if format.bitsPerChannel == 8 {
                map8(source.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt8.self), width)
            } else {
                map16(source.assumingMemoryBound(to: UInt16.self), target.assumingMemoryBound(to: UInt16.self), width)
            }
        }
    }

    private func reformatted(to other: PixelFormat) throws(ImageError) -> PixelBuffer {
        guard other != format else { return self }
        let swaps = other.order != format.order
        return try rows(into: other, alphaMode) { source, target in
            switch (format.bitsPerChannel, other.bitsPerChannel) {
            case (16, 8):
                wi_narrow16(
                    source.assumingMemoryBound(to: UInt16.self), target.assumingMemoryBound(to: UInt8.self), width, swaps)
            case (8, 16):
                wi_widen8(
                    source.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt16.self), width, swaps)
            default:
                wi_swap_red_blue8(
                    source.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt8.self), width)
            }
        }
    }

    /// A new picture of the same size, row by row.
    private func rows(
        into format: PixelFormat, _ alphaMode: AlphaMode,
        _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
    ) throws(ImageError) -> PixelBuffer {
        var target = try MutablePixels(uninitialized: width, height: height, format: format, alphaMode: alphaMode)
        let stride = target.bytesPerRow
        withUnsafeBytes { source in
            target.withUnsafeMutableBytes { bytes in
                guard let from = source.baseAddress, let to = bytes.baseAddress else { return }
                for row in 0..<height { body(from + row * bytesPerRow, to + row * stride) }
            }
        }
        return target.publish()
    }
}
