// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import GIFShim
internal import WICore
internal import WIPixels

extension GIFDecoder {
    /// The picture made to fit `size`, without ever being there whole: for frames whose rows come in order.
    func reducedPixels(
        to size: PixelSize, _ mode: AlphaMode, _ work: borrowing WorkContext
    ) throws(ImageError) -> (pixels: PixelBuffer, ending: GIFExpander.Ending) {
        var reducer = try GIFReducer(
            RowResampler(from: canvasSize, to: size, filter: .lanczos3, format: format, alphaMode: mode),
            canvasSize, format)
        var ending = GIFExpander.Ending(unseen: first, data.bytes)
        if first.touches(canvasSize) {
            let expander = try GIFExpander()
            ending = try data.bytes.withUnsafeBytes { file throws(ImageError) in
                reducer.palette = first.palette(file, format)
                reducer.pushBlankRows(first.top)
                return try expander.expand(
                    first, of: file, visibleRows: first.visibleRows(canvasSize.height), work
                ) { _, indices, count in
                    reducer.push(first, indices, count)
                }
            }
        }
        reducer.pushBlankRows(canvasSize.height)
        return (reducer.publish(), ending)
    }
}

/// Takes the rows of a frame in order and makes a smaller canvas of them.
private struct GIFReducer: ~Copyable {
    var palette = wi_gif_palette()
    private var resampler: RowResampler
    private var row: MutablePixels
    private let canvas: PixelSize
    private var pushed = 0

    init(
        _ resampler: consuming RowResampler, _ canvas: PixelSize, _ format: PixelFormat
    ) throws(ImageError) {
        self.resampler = resampler
        self.canvas = canvas
        row = try MutablePixels(width: canvas.width, height: 1, format: format)
    }

    /// Rows of the frame, of which the last may be incomplete.
    mutating func push(_ frame: GIFFrame, _ indices: UnsafePointer<UInt8>, _ count: Int) {
        let seen = min(frame.width, canvas.width - frame.left)
        var start = 0
        while start < count {
            let there = min(seen, count - start)
            if there < seen { erase() }
            row.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                wi_gif_paint(&palette, indices + start, there, base + 4 * frame.left, false)
            }
            pushRow()
            start += frame.width
        }
        if count % frame.width != 0 { erase() }
    }

    /// Transparent rows, at most as many as the canvas still lacks.
    mutating func pushBlankRows(_ count: Int) {
        let missing = min(count, canvas.height - pushed)
        guard missing > 0 else { return }
        erase()
        for _ in 0..<missing { pushRow() }
    }

    private mutating func erase() {
        row.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    private mutating func pushRow() {
        let stride = row.bytesPerRow
        row.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            resampler.push(UnsafeRawPointer(base), bytesPerRow: stride, count: 1)
        }
        pushed += 1
    }

    consuming func publish() -> PixelBuffer { resampler.publish() }
}
