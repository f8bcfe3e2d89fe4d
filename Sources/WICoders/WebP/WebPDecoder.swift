// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels

/// One decode of a still, or of an animation's first frame.
struct WebPDecoder {
    private let data: Data
    private let options: DecodeOptions
    private let head: WebPHead
    private let bitstream: WebPBitstream
    private let info: ImageInfo
    private let plan: WebPPlan

    init(_ data: Data, _ options: DecodeOptions) throws(ImageError) {
        self.data = data
        self.options = options
        var head = WebPHead()
        guard case .complete = try head.read(data.bytes), let bitstream = head.bitstream else {
            throw WebPHead.cut(data.count)
        }
        self.head = head
        self.bitstream = bitstream
        info = try head.info(data.bytes)
        try options.limits.check(info.storedSize, format: .webp)
        plan = WebPPlan(info, options)
    }

    func decode(_ work: borrowing WorkContext) throws(ImageError) -> DecodedImage {
        let frames = try frameSource()
        var metadata = try head.metadata(
            data, options, storedSize: info.storedSize,
            orientation: options.appliesOrientation ? .up : info.orientation)
        if frames != nil, head.lacksFrames {
            metadata.isPartial = true
            metadata.warnings.append("The WebP file ends within a frame, which was left out.")
        }
        var pixels = try decodedPixels(&metadata, work)
        pixels = try pixels.resized(to: plan.target, filter: .lanczos3, work).oriented(plan.orientation)
        if options.pixelFormat.bitsPerChannel == 16 {
            let mode: AlphaMode =
                options.premultiplies && pixels.alphaMode == .straight ? .premultiplied : pixels.alphaMode
            pixels = try pixels.converted(to: options.pixelFormat, alphaMode: mode)
        }
        return DecodedImage(
            pixels: pixels, format: .webp, metadata: metadata, loopCount: info.loopCount, frames: frames)
    }

    /// The frames of an animation; nil for a still, or where the first one alone is wanted.
    func frameSource() throws(ImageError) -> WebPFrameSource? {
        guard info.frameCount > 1 || head.lacksFrames, !options.firstFrameOnly else { return nil }
        if head.lacksFrames, options[WebPDecoding.self].strictness == .strict {
            throw ImageError(
                .truncatedData, stage: .decode,
                "The WebP file ends after \(data.count) bytes, within a frame, and animations that lack frames are "
                    + "refused (WebPDecoding.strictness).")
        }
        return try WebPFrameSource(data, head, info, options)
    }

    /// The pixels before they are resampled: the picture itself, or a frame on its canvas.
    private func decodedPixels(
        _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        if let frame = head.firstFrame, !frame.covers(info.storedSize) {
            var canvas = try MutablePixels(
                width: info.storedSize.width, height: info.storedSize.height, format: format,
                alphaMode: alphaMode)
            let start = frame.y * canvas.bytesPerRow + frame.x * format.bytesPerPixel
            _ = try decode(frame.size, into: &canvas, from: start, &metadata, work)
            return canvas.publish()
        }
        let size = isReducedByLibrary ? plan.reduced : info.storedSize
        var target = try MutablePixels(
            uninitialized: size.width, height: size.height, format: format, alphaMode: alphaMode)
        let isWhole = try decode(size, into: &target, &metadata, work)
        let pixels = target.publish()
        guard isWhole, !bitstream.claimsAlpha else { return pixels }
        // A lossless header's word on alpha is a hint.
        return bitstream.isAlwaysOpaque || pixels.isOpaque() ? pixels.relabelled(.opaque) : pixels
    }

    /// Whether the picture is whole, alpha included; the metadata say what it lacks.
    private func decode(
        _ size: PixelSize, into target: inout MutablePixels, from start: Int = 0,
        _ metadata: inout ImageMetadata,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        let picture = WebPPixels(
            data: data, bitstream: bitstream, size: size, settings: options[WebPDecoding.self])
        let stride = target.bytesPerRow
        let isPremultiplied = alphaMode == .premultiplied
        let ending = try target.withUnsafeMutableBytes { bytes throws(ImageError) in
            try picture.decode(
                into: WebPPixels.Target(
                    bytes: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), bytesPerRow: stride,
                    order: format.order, isPremultiplied: isPremultiplied), work)
        }
        metadata.warnings += ending.damage
        if !ending.isWhole { metadata.isPartial = true }
        return ending.isWhole
    }

    /// libwebp does not weigh by alpha the colours of lossy pictures that it reduces: those of transparent pixels would
    /// be seen around the others.
    private var isReducedByLibrary: Bool { plan.reduced != info.storedSize && bitstream.alpha == nil }

    /// What libwebp writes; 16 bits are made of 8 in the end.
    private var format: PixelFormat { options.pixelFormat == .bgra8 ? .bgra8 : .rgba8 }

    private var alphaMode: AlphaMode {
        options.premultiplies && options.pixelFormat.bitsPerChannel == 8 ? .premultiplied : .straight
    }
}
