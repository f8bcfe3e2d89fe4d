// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WebPShim

/// One run of libwebp over one picture: a still, or a frame.
struct WebPPixels {
    /// Bytes decoded between two looks at the cancellation flag.
    ///
    /// Each pause costs lossless data some rows that are decoded again.
    private static let lossyStep = 32 << 10
    private static let losslessStep = 512 << 10

    let data: Data
    let bitstream: WebPBitstream
    /// The bitstream's, or what libwebp is to make of it.
    let size: PixelSize
    /// Where its first pixel lies in the target, in bytes.
    let start: Int
    let settings: WebPDecoding

    /// Writes the picture into `target`, whose format and alpha mode say how.
    ///
    /// Rows that the file does not have become transparent, and the metadata say so.
    ///
    /// - Returns: whether the picture is whole, alpha included.
    func decode(
        into target: inout MutablePixels, _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        var (status, rows) = run(&target, withAlpha: true, work)
        if status == WI_WEBP_OK { return true }
        try check(status)
        if rows == 0, status == WI_WEBP_CORRUPT, bitstream.alpha != nil, settings.strictness == .lenient {
            // Colours are worth having without their alpha.
            (status, rows) = run(&target, withAlpha: false, work)
            try check(status)
            if rows > 0 { metadata.warnings.append("The alpha channel is damaged and was left out.") }
        }
        guard rows > 0 else { throw failure(status, "no picture can be had from it") }
        guard settings.strictness == .lenient else {
            throw failure(status, "partial pictures are refused (WebPDecoding.strictness)")
        }
        clear(&target, from: rows)
        metadata.isPartial = true
        metadata.warnings.append(
            "The WebP file is \(isEnded(status) ? "cut" : "damaged"): \(rows) of \(size.height) rows are there."
        )
        return false
    }

    private func run(
        _ target: inout MutablePixels, withAlpha: Bool, _ work: borrowing WorkContext
    ) -> (wi_webp_status, rows: Int) {
        let range = bitstream.range(withAlpha: withAlpha)
        var job = wi_webp_decode_job()
        job.bgra = target.format.order == .bgra
        job.premultiplied = target.alphaMode == .premultiplied
        job.threads = settings.usesThreads
        job.scaled = size != bitstream.size
        job.width = UInt32(clamping: size.width)
        job.height = UInt32(clamping: size.height)
        job.stride = target.bytesPerRow
        job.step = bitstream.isLossless ? Self.losslessStep : Self.lossyStep
        let flag = work.flag
        var rows: UInt32 = 0
        let status = data.withUnsafeBytes { bytes in
            target.withUnsafeMutableBytes { pixels in
                job.data = bytes.baseAddress?.advanced(by: range.lowerBound).assumingMemoryBound(
                    to: UInt8.self)
                job.size = range.count
                job.flag = UnsafePointer(flag.pointer)
                job.pixels = pixels.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self)
                job.room = pixels.count - start
                return wi_webp_decode(&job, &rows)
            }
        }
        return (status, Int(rows))
    }

    /// Makes the picture's rows from `first` on transparent.
    private func clear(_ target: inout MutablePixels, from first: Int) {
        let (stride, length) = (target.bytesPerRow, size.width * target.format.bytesPerPixel)
        target.withUnsafeMutableBytes { bytes in
            for row in first..<max(first, size.height) {
                let begin = start + row * stride
                _ = UnsafeMutableRawBufferPointer(rebasing: bytes[begin..<begin + length])
                    .initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }

    /// Throws what has nothing to do with the rows that there are.
    private func check(_ status: wi_webp_status) throws(ImageError) {
        switch status {
        case WI_WEBP_CANCELLED: throw .cancelled(.decode)
        case WI_WEBP_NO_MEMORY:
            throw ImageError(.outOfMemory, stage: .decode, "There is no memory to decode the WebP file.")
        case WI_WEBP_UNSUPPORTED:
            throw ImageError(
                .unsupportedFeature, stage: .decode, "The WebP file uses what libwebp does not decode.")
        default: return
        }
    }

    /// A picture that wants more bytes than its own chunk has is damaged, not cut.
    private func isEnded(_ status: wi_webp_status) -> Bool { status == WI_WEBP_ENDED && bitstream.isCut }

    private func failure(_ status: wi_webp_status, _ consequence: String) -> ImageError {
        isEnded(status)
            ? ImageError(
                .truncatedData, stage: .decode,
                "The WebP file ends after \(data.count) bytes, within its picture, and \(consequence).")
            : ImageError(
                .corruptData, stage: .decode, "The WebP file's picture is damaged, and \(consequence).")
    }
}
