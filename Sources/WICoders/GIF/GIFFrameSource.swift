// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import GIFShim
internal import WICore
internal import WIPixels

/// The frames of an animated file, which it keeps.
struct GIFFrameSource: FrameSource {
    let canvasSize: PixelSize
    let frames: [FrameInfo]
    let loopCount: Int
    private let data: Data
    private let images: [GIFFrame]
    private let timeline: FrameTimeline
    private let options: DecodeOptions

    /// The frames of a file whose blocks are `head`, at the size that `options` ask for.
    ///
    /// - Throws: `frameLimit` or `dimensionLimit`.
    init(_ data: Data, _ head: GIFHead, _ options: DecodeOptions) throws(ImageError) {
        let canvas = head.canvasSize
        try options.limits.check(canvas, format: .gif)
        let seen = head.frames.lazy.filter { $0.touches(canvas) }
        for frame in seen { try options.limits.check(frame.size, format: .gif) }
        try options.limits.checkCompositing(seen.map { $0.width * $0.height }, format: .gif)
        self.data = data
        self.options = options
        images = head.frames
        let bytes = data.bytes
        timeline = FrameTimeline(images.map { $0.step(on: canvas, bytes) }, canvas: canvas)
        canvasSize = options.targetSize(for: canvas, frameCount: images.count)
        frames = images.map { FrameInfo(durationMilliseconds: $0.durationMilliseconds) }
        loopCount = head.loops ?? 1
    }

    var memoryCost: ByteCount {
        ByteCount(data.count)
            + .saturating(
                images.count,
                MemoryLayout<GIFFrame>.stride + MemoryLayout<FrameStep>.stride
                    + MemoryLayout<FrameInfo>.stride)
    }

    func makeReader() throws -> any FrameReader {
        try CompositingReader(timeline, options, GIFFramePainter(data, images, timeline.canvas, options))
    }
}

extension GIFFrame {
    /// What it does to a canvas of that size.
    func step(on canvas: PixelSize, _ bytes: RawSpan) -> FrameStep {
        let disposal: FrameStep.Disposal =
            switch control.disposal {
            case .keep: .keep
            case .clear: .clear
            case .restore: .restore
            }
        return FrameStep(
            area: FrameArea(x: left, y: top, width: width, height: height, on: canvas), disposal: disposal,
            coverage: isOpaque(bytes) ? .opaque : .blends)
    }
}

/// Expands frames onto the canvas of one reader.
final class GIFFramePainter: FramePainter {
    private let data: Data
    private let frames: [GIFFrame]
    private let canvas: PixelSize
    private let format: PixelFormat
    private let isStrict: Bool
    private let expander: GIFExpander

    init(
        _ data: Data, _ frames: [GIFFrame], _ canvas: PixelSize, _ options: DecodeOptions
    ) throws(ImageError) {
        self.data = data
        self.frames = frames
        self.canvas = canvas
        format = options.pixelFormat == .bgra8 ? .bgra8 : .rgba8
        isStrict = options[GIFDecoding.self].strictness == .strict
        expander = try GIFExpander()
    }

    func paint(
        _ index: Int, onto pixels: UnsafeMutableRawBufferPointer, bytesPerRow: Int, standsAlone: Bool,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        let frame = frames[index]
        let ending = try data.bytes.withUnsafeBytes { file throws(ImageError) in
            var palette = frame.palette(file, format)
            var place = frame.place(on: pixels, bytesPerRow, canvas)
            let keeps = !standsAlone && !frame.isOpaque(data.bytes)
            return try expander.expand(
                frame, of: file, visibleRows: frame.visibleRows(canvas.height), work
            ) { before, indices, count in
                wi_gif_paint_rows(&place, &palette, UInt64(before), indices, count, keeps)
            }
        }
        guard ending.isIncomplete else { return true }
        if isStrict {
            throw ImageError(
                ending.isCut ? .truncatedData : .corruptData, stage: .decode,
                "Frame \(index + 1) of the GIF file is cut or damaged, and partial pictures are refused.",
                underlying: ending.reason)
        }
        return false
    }
}
