// SPDX-License-Identifier: MIT
internal import GIFShim
internal import WICore

/// What a decode holds at its peak, by the head alone.
struct GIFEstimate {
    private let info: ImageInfo
    private let options: DecodeOptions
    private let target: PixelSize

    init(_ info: ImageInfo, _ options: DecodeOptions) {
        self.info = info
        self.options = options
        target = options.targetSize(
            for: info.storedSize, frameCount: options.firstFrameOnly ? 1 : info.frameCount)
    }

    var total: ByteCount {
        let result = pixels(target, options.pixelFormat.bytesPerPixel) + copies
        guard target != info.storedSize else { return result + indices }
        if info.isMultiPass { return result + pixels(info.storedSize, 4) + max(indices, rows) }
        return result + indices + rows
    }

    /// The frame is taken to be as large as its canvas.
    private var indices: ByteCount {
        ByteCount(wi_gif_lzw_size(UInt64(clamping: info.storedSize.pixelCount ?? .max)))
    }

    /// A row, and the resampler's in floating point.
    private var rows: ByteCount {
        .saturating(info.storedSize.width, 16) + .saturating(target.width, 16, 64) + .kibibytes(512)
    }

    /// Widening to 16 bits makes a second picture while the first is there.
    private var copies: ByteCount {
        options.pixelFormat.bitsPerChannel == 16 ? pixels(target, 4) : .zero
    }

    private func pixels(_ size: PixelSize, _ bytesPerPixel: Int) -> ByteCount {
        .saturating(size.width, size.height, bytesPerPixel)
    }
}
