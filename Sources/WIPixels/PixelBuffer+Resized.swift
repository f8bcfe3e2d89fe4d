// SPDX-License-Identifier: MIT
internal import PixelShim
internal import RuntimeShim
package import WICore

extension PixelBuffer {
    /// The picture, or a region of it, resampled to exactly `size`, in the same format and with the same
    /// alpha mode.
    ///
    /// Pixels are averaged premultiplied, so that the colour of transparent ones does not bleed; opaque
    /// pictures skip that and stay exactly opaque. Pixels around the region take part where the kernel
    /// reaches them. `scalar` keeps to the code without vector units, which gives the same pixels.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` or `dimensionLimit` for sizes that cannot be,
    ///   `outOfMemory`, `cancelled`.
    package func resized(
        to size: PixelSize, from region: SourceRegion? = nil, filter: ResamplingFilter, scalar: Bool = false,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        if size == self.size, region == nil || region == SourceRegion(size) { return self }
        let resampling = try Resampling(from: self.size, region, to: size, filter)
        let needsAlpha = filter != .nearest && alphaMode == .straight && !isOpaque()
        if filter == .nearest || (format.bitsPerChannel == 8 && !needsAlpha) {
            if let done = try resampledWhole(resampling, size, scalar, work) { return done }
        }
        let resampler = try RowResampler(
            resampling, format: format, alphaMode: alphaMode, weighsByAlpha: needsAlpha, scalar: scalar)
        return try resampledByRows(resampler, work)
    }

    /// By the kernels that see the whole picture; nil where the ratio does not fit them.
    private func resampledWhole(
        _ resampling: Resampling, _ size: PixelSize, _ scalar: Bool, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer? {
        var target = try MutablePixels(
            uninitialized: size.width, height: size.height, format: format, alphaMode: alphaMode)
        let stride = target.bytesPerRow
        let flag = UnsafePointer(work.flag.pointer)
        let result = withUnsafeBytes { source in
            target.withUnsafeMutableBytes { bytes in
                var job = wi_resample_job(
                    filter: resampling.filter.code, across: resampling.across, down: resampling.down,
                    source: source.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    source_stride: bytesPerRow,
                    target: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), target_stride: stride,
                    flag: flag, scalar: scalar)
                return resampling.filter == .nearest
                    ? wi_resample_nearest(&job, format.bytesPerPixel) : wi_resample_fixed(&job)
            }
        }
        if let error = Resampling.error(result) { throw error }
        return result == WI_RESAMPLE_DONE ? target.publish() : nil
    }

    private func resampledByRows(
        _ resampler: consuming RowResampler, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let rowsAtATime = max(1, (64 << 10) / bytesPerRow)
        var row = 0
        while row < height {
            try work.checkCancellation(.transform)
            let count = min(rowsAtATime, height - row)
            withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                resampler.push(base + row * bytesPerRow, bytesPerRow: bytesPerRow, count: count)
            }
            row += count
        }
        return resampler.publish()
    }
}
