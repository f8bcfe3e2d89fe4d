// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels
internal import WebPShim

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
        var metadata = try head.metadata(
            data, options, storedSize: info.storedSize,
            orientation: options.appliesOrientation ? .up : info.orientation)
        var pixels = try decodedPixels(&metadata, work)
        pixels = try pixels.resized(to: plan.target, filter: .lanczos3, work).oriented(plan.orientation)
        if options.pixelFormat.bitsPerChannel == 16 {
            let mode: AlphaMode =
                options.premultiplies && pixels.alphaMode == .straight ? .premultiplied : pixels.alphaMode
            pixels = try pixels.converted(to: options.pixelFormat, alphaMode: mode)
        }
        return DecodedImage(pixels: pixels, format: .webp, metadata: metadata)
    }

    /// The pixels before they are resampled: the picture itself, or a frame on its canvas.
    private func decodedPixels(
        _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        if let frame = head.firstFrame, !frame.covers(info.storedSize) {
            var canvas = try MutablePixels(
                width: info.storedSize.width, height: info.storedSize.height, format: format,
                alphaMode: alphaMode)
            let picture = picture(at: frame.y * canvas.bytesPerRow + frame.x * format.bytesPerPixel)
            _ = try picture.decode(into: &canvas, &metadata, work)
            return canvas.publish()
        }
        let size = isReducedByLibrary ? plan.reduced : info.storedSize
        var target = try MutablePixels(
            uninitialized: size.width, height: size.height, format: format, alphaMode: alphaMode)
        let isWhole = try picture(size: size).decode(into: &target, &metadata, work)
        let pixels = target.publish()
        guard isWhole, !bitstream.claimsAlpha else { return pixels }
        // A lossless header's word on alpha is a hint.
        return !bitstream.isLossless || pixels.isOpaque() ? pixels.relabelled(.opaque) : pixels
    }

    private func picture(at start: Int = 0, size: PixelSize? = nil) -> WebPPixels {
        WebPPixels(
            data: data, bitstream: bitstream, size: size ?? bitstream.size, start: start,
            settings: options[WebPDecoding.self])
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
