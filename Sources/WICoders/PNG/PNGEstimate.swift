// SPDX-License-Identifier: MIT
internal import WICore

/// What a decode holds at its peak, by the header alone.
struct PNGEstimate {
    private let info: ImageInfo
    private let options: DecodeOptions
    private let target: PixelSize

    init(_ info: ImageInfo, _ options: DecodeOptions) {
        self.info = info
        self.options = options
        let orientation = options.appliesOrientation ? info.orientation : .up
        let display = options.targetSize(for: orientation.displaySize(of: info.storedSize))
        target = orientation.exchangesSides ? display.transposed : display
    }

    var total: ByteCount {
        let isReduced = target != info.storedSize
        if isReduced, !info.isMultiPass {
            return pixels(target) + copies + min(inflated, largestInflated) + rows
        }
        let whole = pixels(info.storedSize)
        // The resampler's target, and its rows, come after what was inflated is gone.
        return whole + max(isWhole ? inflated : rows, (isReduced ? pixels(target) + rows : .zero) + copies)
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

    /// A band of rows, libpng's two, and the resampler's in floating point.
    private var rows: ByteCount {
        .saturating(info.storedSize.width, 128) + .saturating(target.width, 16, 64) + .kibibytes(512)
    }

    /// Turning and premultiplying make a second picture while the first is there.
    private var copies: ByteCount {
        let isTurned = options.appliesOrientation && info.orientation != .up
        return isTurned || (options.premultiplies && info.hasAlpha) ? pixels(target) : .zero
    }
}
