// SPDX-License-Identifier: MIT
internal import PixelShim
package import WICore

extension PixelBuffer {
    /// The same picture in another format or with another meaning of alpha; itself when there is nothing to
    /// do.
    ///
    /// Multiplying and dividing by alpha round to the nearest value; 16 bits become 8 by dropping the low
    /// byte, 8 bits become 16 times 257. Where ``AlphaMode/opaque`` is asked for, straight colours are kept
    /// and alpha is set to its maximum: putting the picture on a background is the caller's business.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package func converted(to format: PixelFormat, alphaMode: AlphaMode) throws(ImageError) -> PixelBuffer {
        guard format != self.format || alphaMode != self.alphaMode else { return self }
        if format == self.format, self.alphaMode == .opaque { return relabelled(alphaMode) }
        if self.alphaMode == .premultiplied, alphaMode != .premultiplied {
            // Dividing comes before bits are dropped, and after they are won.
            if alphaMode == .opaque || format.bitsPerChannel < self.format.bitsPerChannel {
                return try converted(to: self.format, alphaMode: .straight)
                    .converted(to: format, alphaMode: alphaMode)
            }
        }
        return try convertedInOneStep(to: format, alphaMode: alphaMode)
    }

    /// Whether every pixel is opaque; looks at the pixels only where the alpha mode leaves it open.
    package func isOpaque() -> Bool {
        if alphaMode == .opaque { return true }
        return withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return wi_pixels_are_opaque(
                start.assumingMemoryBound(to: UInt8.self), bytesPerRow, width, height,
                Int32(format.bitsPerChannel))
        }
    }

    private func convertedInOneStep(
        to format: PixelFormat, alphaMode: AlphaMode
    ) throws(ImageError) -> PixelBuffer {
        let samples = Self.samples(self.format, format)
        let alpha = Self.alpha(self.alphaMode, alphaMode)
        var result = try MutablePixels(
            uninitialized: width, height: height, format: format, alphaMode: alphaMode)
        let stride = result.bytesPerRow
        withUnsafeBytes { source in
            result.withUnsafeMutableBytes { target in
                guard let from = source.baseAddress, let into = target.baseAddress else { return }
                wi_pixels_convert(
                    from.assumingMemoryBound(to: UInt8.self), bytesPerRow,
                    into.assumingMemoryBound(to: UInt8.self), stride, width, height, samples, alpha,
                    Int32(format.bitsPerChannel))
            }
        }
        return result.publish()
    }

    private static func samples(_ from: PixelFormat, _ into: PixelFormat) -> wi_samples {
        let swaps = from.order != into.order
        return switch (from.bitsPerChannel, into.bitsPerChannel) {
        case (16, 8): swaps ? WI_SAMPLES_NARROW_SWAP : WI_SAMPLES_NARROW
        case (8, 16): swaps ? WI_SAMPLES_WIDEN_SWAP : WI_SAMPLES_WIDEN
        default: swaps ? WI_SAMPLES_SWAP : WI_SAMPLES_KEEP
        }
    }

    private static func alpha(_ from: AlphaMode, _ into: AlphaMode) -> wi_alpha {
        switch (from, into) {
        case (.straight, .premultiplied): WI_ALPHA_MULTIPLY
        case (.premultiplied, .straight): WI_ALPHA_DIVIDE
        case (.straight, .opaque), (.premultiplied, .opaque): WI_ALPHA_FILL
        default: WI_ALPHA_KEEP
        }
    }
}
