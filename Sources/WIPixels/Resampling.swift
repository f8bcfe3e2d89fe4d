// SPDX-License-Identifier: MIT
internal import PixelShim
internal import RuntimeShim
internal import WICore

/// What a resampling was asked to do, checked, in the words of the C kernels.
struct Resampling {
    let filter: ResamplingFilter
    let across: wi_direction
    let down: wi_direction

    /// Checks all that the kernels take for granted.
    init(
        from source: PixelSize, _ region: SourceRegion?, to target: PixelSize, _ filter: ResamplingFilter
    ) throws(ImageError) {
        let region = region ?? SourceRegion(source)
        guard source.width > 0, source.height > 0, region.lies(in: source) else {
            throw ImageError(
                .invalidArgument, stage: .transform,
                "The region \(region.width)x\(region.height) at (\(region.x), \(region.y)) does not lie "
                    + "inside the picture of \(source) pixels.")
        }
        try Self.check(target)
        guard max(source.width, source.height) <= Int32.max else {
            throw ImageError(
                .dimensionLimit, stage: .transform,
                "A picture of \(source) pixels is too long to be resampled.")
        }
        self.filter = filter
        across = wi_direction(source: source.width, start: region.x, length: region.width, size: target.width)
        down = wi_direction(
            source: source.height, start: region.y, length: region.height, size: target.height)
    }

    private static func check(_ target: PixelSize) throws(ImageError) {
        guard target.width > 0, target.height > 0 else {
            throw ImageError(
                .invalidArgument, stage: .transform,
                "A picture cannot be resized to \(target): both sides must be positive.")
        }
        guard max(target.width, target.height) <= Int32.max else {
            throw ImageError(
                .dimensionLimit, stage: .transform,
                "A picture cannot be resized to \(target): no side may exceed \(Int32.max) pixels.")
        }
    }

    /// The whole job, on memory that stays where it is.
    func job(
        _ source: UnsafeRawBufferPointer, _ sourceStride: Int, _ target: UnsafeMutableRawBufferPointer,
        _ targetStride: Int, flag: UnsafePointer<wi_flag>? = nil, scalar: Bool = false
    ) -> wi_resample_job {
        wi_resample_job(
            filter: filter.code, across: across, down: down,
            source: source.baseAddress?.assumingMemoryBound(to: UInt8.self), source_stride: sourceStride,
            target: target.baseAddress?.assumingMemoryBound(to: UInt8.self), target_stride: targetStride,
            flag: flag, scalar: scalar)
    }

    /// Why a kernel gave up, or nil when it did not.
    static func error(_ result: wi_resample_result) -> ImageError? {
        switch result {
        case WI_RESAMPLE_CANCELLED: .cancelled(.transform)
        case WI_RESAMPLE_NO_MEMORY: outOfMemory
        default: nil
        }
    }

    static var outOfMemory: ImageError {
        ImageError(
            .outOfMemory, stage: .transform, "There is no memory to resample the picture.", isRetryable: true)
    }
}
