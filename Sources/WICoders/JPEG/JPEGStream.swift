// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import JPEGShim
internal import WICore
internal import WIPixels

/// A picture that is decoded while its data arrive.
struct JPEGStream: ~Copyable {
    /// Scans after which the picture is drawn; many are an attack, or too fine to be seen.
    static let mostDrawnScans = 20

    private let handle: JPEGStreamHandle
    private let plan: JPEGPlan
    private let limits: DecodeLimits
    private let finish: PictureFinish
    /// The rows of a single scan, those that have not come transparent; a point where there are several.
    private var canvas: MutablePixels
    private var shownRows: UInt32 = 0
    private var shownScans: Int32 = 0
    private var drawings = 0

    /// - Throws: `outOfMemory`.
    init(_ plan: JPEGPlan, hasScans: Bool, _ options: DecodeOptions) throws(ImageError) {
        let finish = PictureFinish(
            options, size: plan.target, from: plan.region, orientation: plan.orientation)
        let held = hasScans ? PixelSize(width: 1, height: 1) : plan.decoded
        var canvas = try MutablePixels(width: held.width, height: held.height, format: finish.canvasFormat)
        var job = wi_jpeg_decode_job(plan, options, finish.canvasFormat, stride: canvas.bytesPerRow)
        let pointer = canvas.withUnsafeMutableBytes { bytes in
            job.pixels = hasScans ? nil : bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return wi_jpeg_stream_create(&job)
        }
        guard let pointer else {
            throw ImageError(.outOfMemory, stage: .decode, "There is no memory to decode the JPEG file.")
        }
        handle = JPEGStreamHandle(pointer: pointer)
        self.plan = plan
        self.finish = finish
        self.canvas = canvas
        limits = options.limits
    }

    /// Goes on with all bytes so far.
    ///
    /// - Throws: where nothing more can be shown.
    mutating func feed(_ data: Data, _ work: borrowing WorkContext) throws(ImageError) {
        let flag = work.flag
        let status = data.withUnsafeBytes { bytes in
            wi_jpeg_stream_feed(
                handle.pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count,
                UnsafePointer(flag.pointer))
        }
        try check(status, data.count)
    }

    private func check(_ status: wi_jpeg_status, _ count: Int) throws(ImageError) {
        guard status != WI_JPEG_OK else { return }
        throw ImageError(status, reason: nil, count, limits)
    }

    /// What can be seen so far; nil where that is no more than the last time.
    mutating func preview(_ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer? {
        let pixels = wi_jpeg_stream_has_scans(handle.pointer) ? try drawn(work) : try rows()
        return try pixels.map { pixels throws(ImageError) in try finish.apply(pixels, work) }
    }

    private mutating func rows() throws(ImageError) -> PixelBuffer? {
        let rows = wi_jpeg_stream_rows(handle.pointer)
        guard rows > shownRows else { return nil }
        shownRows = rows
        return try canvas.copy(alphaMode: isComplete ? .opaque : .straight)
    }

    private mutating func drawn(_ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer? {
        let scans = wi_jpeg_stream_scans(handle.pointer)
        guard scans > shownScans, drawings < Self.mostDrawnScans || isComplete else { return nil }
        shownScans = scans
        drawings += 1
        var target = try MutablePixels(
            uninitialized: plan.decoded.width, height: plan.decoded.height, format: finish.canvasFormat,
            alphaMode: .opaque)
        let (stride, flag) = (target.bytesPerRow, work.flag)
        let status = target.withUnsafeMutableBytes { bytes in
            wi_jpeg_stream_draw(
                handle.pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), stride,
                UnsafePointer(flag.pointer))
        }
        try check(status, 0)
        return target.publish()
    }

    private var isComplete: Bool { wi_jpeg_stream_is_complete(handle.pointer) }
}

/// The one owner of a C stream.
private struct JPEGStreamHandle: ~Copyable, @unchecked Sendable {
    // Sendable: whoever owns the handle is the only one that touches what it points to.
    let pointer: OpaquePointer

    deinit { wi_jpeg_stream_free(pointer) }
}
