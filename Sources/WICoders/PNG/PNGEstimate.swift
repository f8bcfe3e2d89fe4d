// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// What a decode holds at its peak, by the header alone.
struct PNGEstimate {
    private let info: ImageInfo
    private let options: DecodeOptions
    private let target: PixelSize

    init(_ info: ImageInfo, _ options: DecodeOptions) {
        self.info = info
        self.options = options
        let orientation = options.appliesOrientation ? info.orientation : .up
        let display = options.targetSize(
            for: orientation.displaySize(of: info.storedSize),
            frameCount: options.firstFrameOnly ? 1 : info.frameCount)
        target = orientation.exchangesSides ? display.transposed : display
    }

    var total: ByteCount {
        let isReduced = target != info.storedSize
        if isReduced, !info.isMultiPass {
            return pixels(target) + copies + min(inflated, largestInflated) + rows + band + resampler
        }
        let whole = pixels(info.storedSize)
        // The resampler's target, and its rows, come after what was inflated is gone.
        let reduction = isReduced ? pixels(target) + resampler : .zero
        return whole + max(isWhole ? inflated + rows : rows, reduction + copies)
    }

    private var isWide: Bool { options.pixelFormat.bitsPerChannel == 16 }
    private var isWhole: Bool { !info.isMultiPass && !isWide }
    private var largestInflated: ByteCount { isWide ? .zero : ByteCount(PNGDecoder.largestInflated) }

    private func pixels(_ size: PixelSize) -> ByteCount {
        .saturating(size.width, size.height, isWide ? 8 : 4)
    }

    /// The joined chunks are at most as large as what they inflate to.
    private var inflated: ByteCount {
        let samples = info.hasAlpha ? 4 : 3
        return .saturating(
            info.storedSize.width, info.storedSize.height, samples * max(8, info.bitsPerSample) / 8, 2)
    }

    /// libpng's two rows, each of up to 8 bytes a pixel, its tables and the file's.
    private var rows: ByteCount { .saturating(info.storedSize.width, 16) + .kibibytes(512) }

    /// The rows that are handed out at a time, and one of those that are missing.
    private var band: ByteCount {
        let size = info.storedSize
        let rows = PNGReducer.rowsInBand(of: size, isWide ? .rgba16 : .rgba8)
        return .saturating(size.width, min(rows, size.height) + 1, isWide ? 8 : 4)
    }

    private var resampler: ByteCount {
        RowResampler.memory(
            from: info.storedSize, to: target, filter: .lanczos3, format: isWide ? .rgba16 : .rgba8)
    }

    /// Turning and premultiplying make a second picture while the first is there.
    private var copies: ByteCount {
        let isTurned = options.appliesOrientation && info.orientation != .up
        return isTurned || (options.premultiplies && info.hasAlpha) ? pixels(target) : .zero
    }
}
