// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels
internal import WebPShim

/// The frames of an animated file, which it keeps.
struct WebPFrameSource: FrameSource {
    let canvasSize: PixelSize
    let frames: [FrameInfo]
    let loopCount: Int
    private let data: Data
    private let images: [WebPFrame?]
    private let timeline: FrameTimeline
    private let options: DecodeOptions
    private let orientation: Orientation

    /// The frames of a file whose chunks are `head`, at the size that `options` ask for.
    ///
    /// - Throws: `frameLimit`, `dimensionLimit`, or `corruptData` for a frame that is none, where partial pictures are
    ///   refused.
    init(
        _ data: Data, _ head: WebPHead, _ info: ImageInfo, _ options: DecodeOptions
    ) throws(ImageError) {
        try options.limits.check(info.storedSize, format: .webp)
        guard info.frameCount <= options.limits.frames else {
            throw ImageError(
                .frameLimit, stage: .decode,
                "The WebP file has \(info.frameCount) frames, more than the limit of \(options.limits.frames); "
                    + "raise DecodeLimits.frames if you trust it.")
        }
        let images = try head.frames(data.bytes, isStrict: options[WebPDecoding.self].strictness == .strict)
        try options.limits.checkCompositing(
            images.lazy.map { ($0?.size.width ?? 0) * ($0?.size.height ?? 0) }, format: .webp)
        let plan = WebPPlan(info, options)
        self.data = data
        self.images = images
        timeline = FrameTimeline(images.map { $0.step(on: info.storedSize) }, canvas: info.storedSize)
        orientation = plan.orientation
        var options = options
        // The reader sees frames as stored.
        (options.scaleDownLimit, options.thumbnailSize, options.preservesAspectRatio) = (
            nil, plan.target, false
        )
        self.options = options
        canvasSize = orientation.displaySize(of: plan.target)
        frames = info.frameDurationsMilliseconds.map { FrameInfo(durationMilliseconds: $0) }
        loopCount = info.loopCount
    }

    var memoryCost: ByteCount {
        ByteCount(data.count)
            + .saturating(
                images.count,
                MemoryLayout<WebPFrame?>.stride + MemoryLayout<FrameStep>.stride
                    + MemoryLayout<FrameInfo>.stride)
    }

    func makeReader() throws -> any FrameReader {
        let reader = try CompositingReader(
            timeline, options, WebPFramePainter(data, images, options))
        return orientation == .up ? reader : OrientedReader(reader, orientation)
    }
}

extension WebPFrame? {
    /// What it does to a canvas of that size; nothing where it is damaged.
    func step(on canvas: PixelSize) -> FrameStep {
        guard let self else { return FrameStep(area: nil, disposal: .keep, coverage: .blends) }
        return FrameStep(
            area: FrameArea(
                x: self.x, y: self.y, width: self.size.width, height: self.size.height, on: canvas),
            disposal: self.disposesToBackground ? .clear : .keep,
            coverage: self.bitstream.isAlwaysOpaque ? .opaque : self.replaces ? .replaces : .blends)
    }
}

/// Decodes frames onto the canvas of one reader.
final class WebPFramePainter: FramePainter {
    private let data: Data
    private let frames: [WebPFrame?]
    private let format: PixelFormat
    private let settings: WebPDecoding

    init(_ data: Data, _ frames: [WebPFrame?], _ options: DecodeOptions) {
        self.data = data
        self.frames = frames
        format = options.pixelFormat == .bgra8 ? .bgra8 : .rgba8
        settings = options[WebPDecoding.self]
    }

    func paint(
        _ index: Int, onto canvas: UnsafeMutableRawBufferPointer, bytesPerRow: Int, standsAlone: Bool,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        guard let frame = frames[index] else { return false }
        let picture = WebPPixels(
            data: data, bitstream: frame.bitstream, size: frame.size, settings: settings)
        let start = frame.y * bytesPerRow + frame.x * format.bytesPerPixel
        let place = WebPPixels.Target(
            bytes: UnsafeMutableRawBufferPointer(rebasing: canvas[start...]), bytesPerRow: bytesPerRow,
            order: format.order)
        if frame.replaces || frame.bitstream.isAlwaysOpaque || standsAlone {
            return try picture.decode(into: place, work).isWhole
        }
        return try blend(picture, onto: place, work)
    }

    private func blend(
        _ picture: WebPPixels, onto place: WebPPixels.Target, _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        let size = picture.size
        var layer = try MutablePixels(uninitialized: size.width, height: size.height, format: format)
        let stride = layer.bytesPerRow
        return try layer.withUnsafeMutableBytes { bytes throws(ImageError) in
            let ending = try picture.decode(
                into: WebPPixels.Target(bytes: bytes, bytesPerRow: stride, order: format.order), work)
            guard let above = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                let below = place.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            else { return false }
            for row in 0..<ending.rows {
                wi_webp_blend_row(above + row * stride, below + row * place.bytesPerRow, size.width)
            }
            return ending.isWhole
        }
    }
}
