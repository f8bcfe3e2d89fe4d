// SPDX-License-Identifier: MIT
internal import JPEGShim
internal import WICore
internal import WIPixels

/// Takes a picture's rows band by band and makes a smaller one of them.
///
/// Used by one decode, on its thread; a class, because C hands it back as a pointer.
final class JPEGReducer {
    private var resampler: RowResampler?
    private let bytesPerRow: Int

    init(_ plan: JPEGPlan, format: PixelFormat) throws(ImageError) {
        resampler = try RowResampler(
            from: plan.decoded, plan.region, to: plan.target, filter: .lanczos3, format: format,
            alphaMode: .opaque)
        bytesPerRow = plan.decoded.width * format.bytesPerPixel
    }

    /// Lets `job` hand its rows to this reducer, which must outlive it.
    func join(_ job: inout wi_jpeg_decode_job) {
        job.context = Unmanaged.passUnretained(self).toOpaque()
        job.take_rows = { context, rows, count in
            guard let context, let rows else { return }
            Unmanaged<JPEGReducer>.fromOpaque(context).takeUnretainedValue().push(rows, Int(count))
        }
    }

    private func push(_ rows: UnsafeRawPointer, _ count: Int) {
        resampler?.push(rows, bytesPerRow: bytesPerRow, count: count)
    }

    /// The smaller picture, once.
    ///
    /// - Throws: `outOfMemory` where it was taken before.
    func publish() throws(ImageError) -> PixelBuffer {
        guard let resampler = resampler.take() else {
            throw ImageError(.outOfMemory, stage: .decode, "The reduced picture is gone.")
        }
        return resampler.publish()
    }
}
