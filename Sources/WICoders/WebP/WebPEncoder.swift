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
        let durations = WebPDurations(source.frames.map(\.durationMilliseconds)).milliseconds
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
                picture.data, at: area ?? Self.whole(size), milliseconds: duration, to: &frames)
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

    /// The smallest rectangle at an even place that holds all differences; a point where there is none.
    private static func difference(_ before: PixelBuffer, _ after: PixelBuffer) -> wi_webp_area {
        before.withUnsafeBytes { one in
            after.withUnsafeBytes { other in
                wi_webp_difference(
                    one.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    other.baseAddress?.assumingMemoryBound(to: UInt8.self), after.bytesPerRow, after.width,
                    after.height)
            }
        }
    }

    private static func whole(_ size: PixelSize) -> wi_webp_area {
        wi_webp_area(x: 0, y: 0, width: size.width, height: size.height)
    }
}

/// Durations as whole milliseconds, rounded so that no frame is more than half of one early or late.
struct WebPDurations: Equatable {
    private static let longest = 0xFF_FFFF

    let milliseconds: [Int]

    init(_ durations: [Double]) {
        var end = 0.0
        var written = 0
        milliseconds = durations.map { duration in
            end += duration.isFinite ? min(max(0, duration), Double(Self.longest)) : 0
            let rounded = min(Self.longest, max(0, Int(end.rounded()) - written))
            written += rounded
            return rounded
        }
    }
}
