// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import GIFShim
internal import WICore
internal import WIPixels

/// The first frame of a file, whose rows are painted while they arrive.
struct GIFArrivingFrame: ~Copyable, Sendable {
    private let frame: GIFFrame
    private let expander: GIFExpander
    private let finish: PictureFinish
    private let isOpaque: Bool
    private var canvas: MutablePixels
    private var palette: wi_gif_palette
    private var ending: GIFExpander.Ending
    private var shownPixels = 0

    init(
        _ frame: GIFFrame, canvas size: PixelSize, _ options: DecodeOptions, _ data: Data
    ) throws(ImageError) {
        let finish = PictureFinish(options, canvas: size)
        let canvas = try MutablePixels(width: size.width, height: size.height, format: finish.canvasFormat)
        let expander = try GIFExpander()
        let (palette, ending) = try data.bytes.withUnsafeBytes { file throws(ImageError) in
            (frame.palette(file, finish.canvasFormat), try expander.begin(frame, ofArriving: file))
        }
        self.frame = frame
        self.finish = finish
        self.canvas = canvas
        self.expander = expander
        self.palette = palette
        self.ending = ending
        isOpaque = frame.covers(size) && frame.isOpaque(data.bytes)
    }

    /// - Throws: `corruptData` where the rest cannot be had.
    mutating func expand(_ data: Data, _ work: borrowing WorkContext) throws(ImageError) {
        let (size, stride, frame) = (canvas.size, canvas.bytesPerRow, frame)
        guard frame.touches(size), !isComplete else { return }
        try data.bytes.withUnsafeBytes { file throws(ImageError) in
            try canvas.withUnsafeMutableBytes { bytes throws(ImageError) in
                var place = frame.place(on: bytes, stride, size)
                try expander.goOn(
                    frame, of: file, &ending, visibleRows: frame.visibleRows(size.height), work
                ) { first, indices, count in
                    wi_gif_paint_rows(&place, &palette, UInt64(first), indices, count, false)
                    if frame.isInterlaced { wi_gif_spread_rows(&place, UInt64(first), count) }
                }
            }
        }
        if ending.isDamage, !ending.isCut {
            throw ImageError(
                .corruptData, stage: .decode, "The GIF file is damaged.", underlying: ending.reason)
        }
    }

    /// Whether every pixel that is seen is there.
    private var isComplete: Bool { ending.pixels >= frame.visibleRows(canvas.height) * frame.width }

    /// The rows so far; nil where there are no more than the last time.
    mutating func preview(_ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer? {
        guard ending.pixels > shownPixels else { return nil }
        shownPixels = ending.pixels
        let pixels = try canvas.copy(alphaMode: isOpaque && isComplete ? .opaque : .straight)
        return try finish.apply(pixels, work)
    }
}
