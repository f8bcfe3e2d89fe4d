// SPDX-License-Identifier: MIT
internal import PixelShim
package import WICore

extension PixelBuffer {
    /// The picture under a Gaussian of `sigma` pixels, premultiplied while it is blurred; around the picture its border
    /// goes on.
    ///
    /// Format and alpha mode are the picture's, or `form`. Under 2 pixels the kernel is sampled, above it is recursive,
    /// so that the time does not go with sigma. `scalar` keeps to the code without vector units, which gives the same
    /// pixels. Sigma is above 0 and finite.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory` or `cancelled`.
    package func blurred(
        sigma: Double, to form: (format: PixelFormat, alphaMode: AlphaMode)? = nil, scalar: Bool = false,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let form = form ?? (format, alphaMode)
        let isOpaque = isOpaque()
        let down = BlurDirection(
            length: height, count: width, isDown: true, sigma: sigma, scalar: scalar,
            before: alphaMode == .straight && !isOpaque ? WI_ALPHA_MULTIPLY : WI_ALPHA_KEEP,
            after: isOpaque ? WI_ALPHA_FILL : WI_ALPHA_KEEP)
        let across = BlurDirection(
            length: width, count: height, isDown: false, sigma: sigma, scalar: scalar, before: WI_ALPHA_KEEP,
            after: isOpaque ? WI_ALPHA_FILL : form.alphaMode == .straight ? WI_ALPHA_DIVIDE : WI_ALPHA_KEEP)
        // 16 bits between the directions: nothing is rounded away there.
        return try blurred(down, to: .rgba16, .premultiplied, work)
            .blurred(across, to: form.format, form.alphaMode, work)
    }

    private func blurred(
        _ direction: BlurDirection, to format: PixelFormat, _ mode: AlphaMode, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        var target = try MutablePixels(uninitialized: width, height: height, format: format, alphaMode: mode)
        let stride = target.bytesPerRow
        let failed = Locked(false)
        try target.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
            guard let base = bytes.baseAddress else { return }
            let memory = SharedBytes(start: base)
            try work.forEachRange(
                of: direction.count, bytesPerRow: direction.length * 16, step: 8, bytes: 1 << 20
            ) {
                lines in
                let done = withUnsafeBytes { source in
                    direction.run(lines, source, bytesPerRow, self.format, memory, stride, format)
                }
                if !done { failed.withLock { $0 = true } }
            }
        }
        if failed.withLock({ $0 }) { throw Resampling.outOfMemory }
        return target.publish()
    }
}

/// A blur along columns or rows.
private struct BlurDirection: Sendable {
    let length: Int
    let count: Int
    let isDown: Bool
    let sigma: Double
    let scalar: Bool
    let before: wi_alpha
    let after: wi_alpha

    /// Blurs some of the lines; false when there is no memory.
    func run(
        _ lines: Range<Int>, _ source: UnsafeRawBufferPointer, _ sourceStride: Int,
        _ sourceFormat: PixelFormat,
        _ target: SharedBytes, _ targetStride: Int, _ targetFormat: PixelFormat
    ) -> Bool {
        var pass = wi_blur_pass(
            source: source.baseAddress?.assumingMemoryBound(to: UInt8.self),
            source_lines: layout(sourceStride, sourceFormat, before),
            target: target.start.assumingMemoryBound(to: UInt8.self),
            target_lines: layout(targetStride, targetFormat, after),
            length: length, count: count, sigma: sigma, scalar: scalar)
        return wi_blur_lines(&pass, lines.lowerBound, lines.upperBound)
    }

    private func layout(_ stride: Int, _ format: PixelFormat, _ alpha: wi_alpha) -> wi_lines {
        let pixel = format.bytesPerPixel
        return wi_lines(
            step: isDown ? stride : pixel, jump: isDown ? pixel : stride, bits: Int32(format.bitsPerChannel),
            swaps: format.order == .bgra, alpha: alpha)
    }
}
