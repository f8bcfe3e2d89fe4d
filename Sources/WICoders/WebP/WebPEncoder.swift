// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels
internal import WebPShim

/// One encode.
///
/// Equal pictures and options give equal bytes. Of an animation, each frame is the smallest rectangle that differs from
/// the frame before, and replaces it; two canvases are held.
struct WebPEncoder {
    private static let longestSide = 16_383
    private static let longestDuration = 0xFF_FFFF

    private let image: DecodedImage
    private let options: EncodeOptions
    private let compressor: WebPCompressor
    private let size: PixelSize

    init(_ image: DecodedImage, _ options: EncodeOptions) throws(ImageError) {
        size = image.frameCount > 1 ? image.frames?.canvasSize ?? image.size : image.size
        guard max(size.width, size.height) <= Self.longestSide else {
            throw ImageError(
                .dimensionLimit, stage: .encode,
                "WebP has sides of at most \(Self.longestSide) pixels, and the picture is \(size); resize it first."
            )
        }
        self.image = image
        self.options = options
        compressor = WebPCompressor(options: options)
    }

    func encode(_ work: borrowing WorkContext) throws -> Data {
        if let frames = image.frames, image.frameCount > 1 { return try animation(frames, work) }
        let picture = try compressor.picture(of: try WebPCompressor.prepared(image.pixels), nil, work)
        let container = container(hasAlpha: picture.hasAlpha)
        return container.holdsMetadata ? try container.file(around: picture.data) : picture.file
    }

    private func container(hasAlpha: Bool) -> WebPContainer {
        let metadata = image.metadata
        return WebPContainer(
            canvas: size, hasAlpha: hasAlpha, icc: options.keepsICCProfile ? metadata.iccProfile : nil,
            // The block says how the pixels that are written lie, whatever it said when it was read.
            exif: options.keepsEXIF
                ? metadata.exif.map { EXIFOrientation.rewriting($0, to: metadata.orientation) } : nil,
            xmp: options.keepsXMP ? metadata.xmp : nil)
    }

    private func animation(_ source: any FrameSource, _ work: borrowing WorkContext) throws -> Data {
        let reader = try source.makeReader()
        let durations = FrameDurations(
            source.frames.map(\.durationMilliseconds), longest: Self.longestDuration
        ).milliseconds
        var frames = Data()
        var hasAlpha = false
        var shown: PixelBuffer?
        for (index, duration) in durations.enumerated() {
            try work.checkCancellation(.encode)
            let pixels = try prepared(try reader.frame(at: index, work))
            let area = shown.map { Self.difference($0, pixels) }
            let picture = try compressor.picture(of: pixels, area, work)
            hasAlpha = hasAlpha || picture.hasAlpha
            WebPContainer.append(
                picture.data, at: area ?? PixelArea(size), milliseconds: duration, to: &frames)
            shown = pixels
        }
        return try container(hasAlpha: hasAlpha).file(around: frames, loops: source.loopCount)
    }

    /// Frames are compared, so all are of one kind.
    private func prepared(_ pixels: PixelBuffer) throws(ImageError) -> PixelBuffer {
        guard pixels.size == size else {
            throw ImageError(
                .invalidArgument, stage: .encode,
                "A frame has \(pixels.size) pixels, and the animation \(size); all must be of one size.")
        }
        return try WebPCompressor.prepared(pixels).converted(
            to: .rgba8, alphaMode: pixels.alphaMode == .opaque ? .opaque : .straight)
    }

    /// What differs, at an even place: frames begin at such alone. One pixel where nothing does.
    private static func difference(_ before: PixelBuffer, _ after: PixelBuffer) -> PixelArea {
        guard var area = after.difference(from: before) else {
            return PixelArea(x: 0, y: 0, width: 1, height: 1)
        }
        let (left, top) = (area.x % 2, area.y % 2)
        area.x -= left
        area.y -= top
        area.width += left
        area.height += top
        return area
    }
}
