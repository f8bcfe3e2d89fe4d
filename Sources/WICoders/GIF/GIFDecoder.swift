// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import GIFShim
internal import WICore
internal import WIPixels

/// One decode of a file's first frame.
struct GIFDecoder {
    let data: Data
    let options: DecodeOptions
    let head: GIFHead
    let canvasSize: PixelSize
    let first: GIFFrame

    init(_ data: Data, _ options: DecodeOptions) throws(ImageError) {
        var head = GIFHead()
        let progress = try head.read(
            data.bytes, to: options.firstFrameOnly ? .firstFrame : .all, most: options.limits.frames)
        guard progress == .complete, let first = head.frames.first else {
            throw head.missingFrame(data.count)
        }
        self.data = data
        self.options = options
        self.head = head
        self.first = first
        canvasSize = head.canvasSize
        try options.limits.check(canvasSize, format: .gif)
        if first.touches(canvasSize) { try options.limits.check(first.size, format: .gif) }
    }

    func decode(_ work: borrowing WorkContext) throws(ImageError) -> DecodedImage {
        let frames = try frameSource()
        var metadata = try head.metadata(data, options)
        let target = options.targetSize(for: canvasSize, frameCount: head.frames.count)
        var pixels = try pixels(at: target, &metadata, work)
        if options.pixelFormat != pixels.format {
            pixels = try pixels.converted(to: options.pixelFormat, alphaMode: pixels.alphaMode)
        }
        return DecodedImage(
            pixels: pixels, format: .gif, metadata: metadata, loopCount: head.loops ?? 1, frames: frames)
    }

    /// The frames of an animation; nil for a still, or where the first one alone is wanted.
    func frameSource() throws(ImageError) -> GIFFrameSource? {
        guard head.frames.count > 1, !options.firstFrameOnly else { return nil }
        return try GIFFrameSource(data, head, options)
    }

    private func pixels(
        at target: PixelSize, _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        if target == canvasSize || first.isInterlaced {
            return try wholePixels(&metadata, work).resized(to: target, filter: .lanczos3, work)
        }
        let isOpaque = isOpaque
        let (pixels, ending) = try reducedPixels(to: target, isOpaque ? .opaque : blendedMode, work)
        try note(ending, &metadata)
        guard isOpaque, ending.isIncomplete else { return pixels }
        // Only now is it known that rows are missing, and so transparent: the damaged file is read once more.
        return try reducedPixels(to: target, blendedMode, work).pixels
    }

    /// Whether nothing of the canvas shines through, where all of the frame is there.
    private var isOpaque: Bool { first.covers(canvasSize) && first.isOpaque(data.bytes) }
    /// A pixel is opaque, or has no colour: both modes say the same.
    private var blendedMode: AlphaMode { options.premultiplies ? .premultiplied : .straight }
    /// The 8-bit format that is decoded to.
    var format: PixelFormat { options.pixelFormat == .bgra8 ? .bgra8 : .rgba8 }

    /// The canvas at its full size.
    ///
    /// What exists of a damaged file is marked so in `metadata`.
    private func wholePixels(
        _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let (width, height) = (canvasSize.width, canvasSize.height)
        var target =
            first.covers(canvasSize)
            ? try MutablePixels(uninitialized: width, height: height, format: format)
            : try MutablePixels(width: width, height: height, format: format)
        let ending = try paint(&target, work)
        try note(ending, &metadata)
        target.alphaMode = isOpaque && !ending.isIncomplete ? .opaque : blendedMode
        return target.publish()
    }

    private func paint(
        _ target: inout MutablePixels, _ work: borrowing WorkContext
    ) throws(ImageError) -> GIFExpander.Ending {
        guard first.touches(canvasSize) else { return GIFExpander.Ending(unseen: first, data.bytes) }
        let expander = try GIFExpander()
        let stride = target.bytesPerRow
        return try data.bytes.withUnsafeBytes { file throws(ImageError) in
            var palette = first.palette(file, format)
            return try target.withUnsafeMutableBytes { canvas throws(ImageError) in
                var place = first.place(on: canvas, stride, canvasSize)
                let ending = try expander.expand(
                    first, of: file, visibleRows: first.visibleRows(canvasSize.height), work
                ) { before, indices, count in
                    wi_gif_paint_rows(&place, &palette, UInt64(before), indices, count, false)
                }
                if ending.isIncomplete { wi_gif_erase_rows(&place, UInt64(ending.pixels)) }
                return ending
            }
        }
    }

    /// Tells the metadata of what is missing.
    ///
    /// - Throws: `corruptData` or `truncatedData` where there is no pixel, or partial pictures are refused.
    private func note(
        _ ending: GIFExpander.Ending, _ metadata: inout ImageMetadata
    ) throws(ImageError) {
        if ending.isIncomplete {
            let code: ImageError.Code = ending.isCut ? .truncatedData : .corruptData
            if ending.pixels == 0, ending.isDamage {
                throw ImageError(
                    code, stage: .decode, "The GIF file is damaged: no pixel of it can be read.",
                    underlying: ending.reason)
            }
            try refusePartial(code, ending.reason)
            metadata.isPartial = true
            metadata.warnings.append("The GIF file is cut or damaged: \(ending.reason).")
        } else if head.isCut, !options.firstFrameOnly {
            metadata.warnings.append("The GIF file has no trailer: frames may be missing at its end.")
        }
        if first.palette.isEmpty, first.touches(canvasSize) {
            try refusePartial(.corruptData, "there is no colour table")
            metadata.isPartial = true
            metadata.warnings.append("The GIF file has no colour table: nothing of its frame is seen.")
        }
    }

    private func refusePartial(_ code: ImageError.Code, _ reason: String) throws(ImageError) {
        guard options[GIFDecoding.self].strictness == .strict else { return }
        throw ImageError(
            code, stage: .decode, "The GIF file is cut or damaged, and partial pictures are refused.",
            underlying: reason)
    }
}
