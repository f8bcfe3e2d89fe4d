// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WebPShim

/// One run of libwebp over one picture: a still, or a frame.
struct WebPPixels {
    /// What became of the picture.
    struct Ending {
        /// Rows that are there; those below are transparent.
        var rows: Int
        /// What is missing, in words; empty where the picture is whole.
        var damage: [String] = []

        var isWhole: Bool { damage.isEmpty }
    }

    /// Where the pixels go, and how they lie there.
    struct Target {
        /// From the picture's first pixel on.
        let bytes: UnsafeMutableRawBufferPointer
        let bytesPerRow: Int
        let order: PixelFormat.ChannelOrder
        var isPremultiplied = false
    }

    /// Bytes decoded between two looks at the cancellation flag.
    ///
    /// Each pause costs lossless data some rows that are decoded again.
    private static let lossyStep = 32 << 10
    private static let losslessStep = 512 << 10

    let data: Data
    let bitstream: WebPBitstream
    /// The bitstream's, or what libwebp is to make of it.
    let size: PixelSize
    let settings: WebPDecoding

    /// Writes every pixel of the picture into `target`; rows that the file does not have become transparent.
    ///
    /// - Throws: `truncatedData` or `corruptData` where there is no row, or partial pictures are refused.
    func decode(into target: Target, _ work: borrowing WorkContext) throws(ImageError) -> Ending {
        var (status, ending) = run(target, withAlpha: true, work)
        if status == WI_WEBP_OK { return ending }
        try check(status)
        if ending.rows == 0, status == WI_WEBP_CORRUPT, bitstream.alpha != nil,
            settings.strictness == .lenient
        {
            // Colours are worth having without their alpha.
            (status, ending) = run(target, withAlpha: false, work)
            try check(status)
            ending.damage.append("The alpha channel is damaged and was left out.")
        }
        guard ending.rows > 0 else { throw failure(status, "no picture can be had from it") }
        guard settings.strictness == .lenient else {
            throw failure(status, "partial pictures are refused (WebPDecoding.strictness)")
        }
        clear(target, from: ending.rows)
        ending.damage.append(
            "The WebP file is \(isEnded(status) ? "cut" : "damaged"): "
                + "\(ending.rows) of \(size.height) rows are there.")
        return ending
    }

    private func run(
        _ target: Target, withAlpha: Bool, _ work: borrowing WorkContext
    ) -> (wi_webp_status, Ending) {
        let range = bitstream.range(withAlpha: withAlpha)
        var job = wi_webp_decode_job()
        job.target = wi_webp_target(target, size: size, of: bitstream)
        job.target.threads = settings.usesThreads
        job.step = bitstream.isLossless ? Self.losslessStep : Self.lossyStep
        let flag = work.flag
        var rows: UInt32 = 0
        let status = data.withUnsafeBytes { bytes in
            job.data = bytes.baseAddress?.advanced(by: range.lowerBound).assumingMemoryBound(to: UInt8.self)
            job.size = range.count
            job.flag = UnsafePointer(flag.pointer)
            return wi_webp_decode(&job, &rows)
        }
        return (status, Ending(rows: Int(rows)))
    }

    private func clear(_ target: Target, from first: Int) {
        for row in first..<max(first, size.height) {
            let start = row * target.bytesPerRow
            _ = UnsafeMutableRawBufferPointer(rebasing: target.bytes[start..<start + size.width * 4])
                .initializeMemory(as: UInt8.self, repeating: 0)
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

extension wi_webp_target {
    /// Pixels of `size` there, scaled where the bitstream has others.
    init(_ target: WebPPixels.Target, size: PixelSize, of bitstream: WebPBitstream) {
        self.init()
        bgra = target.order == .bgra
        premultiplied = target.isPremultiplied
        scaled = size != bitstream.size
        width = UInt32(clamping: size.width)
        height = UInt32(clamping: size.height)
        pixels = target.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        room = target.bytes.count
        stride = target.bytesPerRow
    }
}
