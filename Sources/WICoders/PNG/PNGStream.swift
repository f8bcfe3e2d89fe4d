// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore
internal import WIPixels

/// A default image that is decoded while its data arrive.
struct PNGStream: ~Copyable {
    private let handle: PNGStreamHandle
    private var canvas: MutablePixels
    private let hasAlpha: Bool
    private let start: Int
    /// Where what libpng has of the file ends.
    private var given: Int
    private var shownRows: UInt64 = 0

    /// The picture of a file whose chunks before the picture data are there.
    ///
    /// - Throws: `outOfMemory`.
    init(_ head: PNGHead, _ header: PNGHeader, _ options: DecodeOptions) throws(ImageError) {
        let format = PNGDecoder.format(options)
        var canvas = try MutablePixels(
            width: header.size.width, height: header.size.height, format: format)
        var job = wi_png_decode_job()
        job.width = UInt32(header.size.width)
        job.height = UInt32(header.size.height)
        job.interlaced = header.isInterlaced
        job.most_chunk_bytes = options.limits.metadataBlock.bytes
        job.format = format.shimFormat
        job.stride = canvas.bytesPerRow
        let pointer = canvas.withUnsafeMutableBytes { bytes in
            job.pixels = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return wi_png_stream_create(&job)
        }
        guard let pointer else {
            throw ImageError(.outOfMemory, stage: .decode, "There is no memory to decode the PNG file.")
        }
        handle = PNGStreamHandle(pointer: pointer)
        self.canvas = canvas
        hasAlpha = head.hasAlpha
        start = head.firstIDAT ?? 0
        given = 0
    }

    /// Takes what has come of the picture data.
    ///
    /// - Throws: `corruptData` where no more rows can be had.
    mutating func feed(_ data: Data, _ head: PNGHead) throws(ImageError) {
        if given == 0 {
            // Other chunks may be long, and libpng would collect them piece by piece.
            try feed(head.lead(of: data))
            given = start
        }
        let end = min(data.count, head.dataEnd)
        guard end > given else { return }
        try feed(data[data.startIndex + given..<data.startIndex + end])
        given = end
    }

    private func feed(_ bytes: Data) throws(ImageError) {
        let status = bytes.withUnsafeBytes { bytes in
            wi_png_stream_feed(
                handle.pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        switch status {
        case WI_PNG_OK: return
        case WI_PNG_NO_MEMORY:
            throw ImageError(.outOfMemory, stage: .decode, "There is no memory to decode the PNG file.")
        default: throw PNGHeader.corrupt("has picture data that are damaged")
        }
    }

    /// The rows so far, the others transparent; nil where there are no more than the last time.
    mutating func pixels() throws(ImageError) -> PixelBuffer? {
        let rows = wi_png_stream_rows(handle.pointer)
        guard rows > shownRows else { return nil }
        shownRows = rows
        let isOpaque = !hasAlpha && wi_png_stream_is_done(handle.pointer)
        return try canvas.copy(alphaMode: isOpaque ? .opaque : .straight)
    }
}

/// The one owner of a C stream.
private struct PNGStreamHandle: ~Copyable, @unchecked Sendable {
    // Sendable: whoever owns the handle is the only one that touches what it points to.
    let pointer: OpaquePointer

    deinit { wi_png_stream_free(pointer) }
}
