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
        if filter == .nearest { return try resampledNearest(resampling, size, work) }
        if format.bitsPerChannel == 8, !needsAlpha {
            if let done = try resampledFixed(resampling, size, scalar, work) { return done }
        }
        let resampler = try RowResampler(
            resampling, format: format, alphaMode: alphaMode, weighsByAlpha: needsAlpha, scalar: scalar)
        return try resampledByRows(resampler, work)
    }

    private func resampledNearest(
        _ resampling: Resampling, _ size: PixelSize, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let flag = UnsafePointer(work.flag.pointer)
        var target = try MutablePixels(
            uninitialized: size.width, height: size.height, format: format, alphaMode: alphaMode)
        let stride = target.bytesPerRow
        let result = withUnsafeBytes { source in
            target.withUnsafeMutableBytes { bytes in
                var job = resampling.job(source, bytesPerRow, bytes, stride, flag: flag)
                return wi_resample_nearest(&job, format.bytesPerPixel)
            }
        }
        if let error = Resampling.error(result) { throw error }
        return target.publish()
    }

    /// In fixed point, blocks of rows on several threads; nil where the ratio does not fit it.
    private func resampledFixed(
        _ resampling: Resampling, _ size: PixelSize, _ scalar: Bool, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer? {
        try work.checkCancellation(.transform)
        var target = try MutablePixels(
            uninitialized: size.width, height: size.height, format: format, alphaMode: alphaMode)
        let stride = target.bytesPerRow
        let flag = UnsafePointer(work.flag.pointer)
        let worst = Locked(WI_RESAMPLE_DONE)
        // The picture and the target outlive the plan, which the blocks share.
        let plan = withUnsafeBytes { source in
            target.withUnsafeMutableBytes { bytes in
                FixedPlan(resampling.job(source, bytesPerRow, bytes, stride, flag: flag, scalar: scalar))
            }
        }
        guard plan.result == WI_RESAMPLE_DONE else {
            if let error = Resampling.error(plan.result) { throw error }
            return nil
        }
        try work.forEachRange(
            of: size.height, bytesPerRow: stride, step: Int(WI_FIXED_STEP), bytes: 512 << 10
        ) { rows in
            let result = plan.run(rows)
            if result != WI_RESAMPLE_DONE { worst.withLock { $0 = result } }
        }
        if let error = Resampling.error(worst.withLock { $0 }) { throw error }
        return target.publish()
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

/// The one owner of a plan in C.
private final class FixedPlan: @unchecked Sendable {
    // Sendable: what the pointer leads to is only read.
    private let pointer: OpaquePointer?
    let result: wi_resample_result

    init(_ job: wi_resample_job) {
        var (job, pointer) = (job, OpaquePointer?.none)
        result = wi_fixed_create(&job, &pointer)
        self.pointer = pointer
    }

    deinit { wi_fixed_free(pointer) }

    func run(_ rows: Range<Int>) -> wi_resample_result {
        wi_fixed_run(pointer, rows.lowerBound, rows.upperBound)
    }
}
