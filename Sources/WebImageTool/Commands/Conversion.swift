// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// What became of one picture.
struct ConversionResult: Sendable {
    let data: Data
    let format: ImageFormat
    let size: PixelSize
    /// Whether the file was cut or damaged, so that part of the picture is missing.
    let isPartial: Bool
}

/// Bytes of one format into bytes of another.
struct Conversion: Sendable {
    let format: ImageFormat
    let resize: ResizeRequest?
    let options: EncodeOptions

    /// Decodes, resizes and encodes, on the thread that calls.
    func run(_ data: Data, with coder: any ImageCoder) throws(ImageError) -> ConversionResult {
        let work = WorkContext()
        do {
            var decoding = DecodeOptions()
            let animated = (coder as? any AnimatedImageCoder)?.animatedFormats ?? []
            decoding.firstFrameOnly = !animated.contains(format)
            if let resize, resize.fit == .contain { decoding.thumbnailSize = resize.box }
            var image = try coder.decode(data, decoding, work)
            if let transformer = resize?.transformer {
                image = try resized(image, transformer, work)
            }
            let bytes = try coder.encode(image, as: format, options, work)
            return ConversionResult(
                data: bytes, format: format, size: image.size, isPartial: image.metadata.isPartial)
        } catch {
            throw .wrapping(error, as: .corruptData, stage: .decode)
        }
    }

    private func resized(
        _ image: DecodedImage, _ transformer: ResizeTransformer, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        let pixels = try transformer.transform(image.pixels, work)
        let frames = image.frames.map { TransformedFrames($0, transformer, canvasSize: pixels.size) }
        return DecodedImage(
            pixels: pixels, format: image.format, metadata: image.metadata, loopCount: image.loopCount,
            frames: frames)
    }
}
