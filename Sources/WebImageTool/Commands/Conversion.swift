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
    let edits: Edits
    let options: EncodeOptions

    /// Decodes, edits and encodes, on the thread that calls.
    func run(_ data: Data, with coder: any ImageCoder) throws(ImageError) -> ConversionResult {
        let work = WorkContext()
        do {
            var decoding = DecodeOptions()
            let animated = (coder as? any AnimatedImageCoder)?.animatedFormats ?? []
            decoding.firstFrameOnly = !animated.contains(format)
            decoding.thumbnailSize = edits.thumbnail
            let image = try edits.apply(to: try coder.decode(data, decoding, work), work)
            let bytes = try coder.encode(image, as: format, options, work)
            return ConversionResult(
                data: bytes, format: format, size: image.size, isPartial: image.metadata.isPartial)
        } catch {
            throw .wrapping(error, as: .corruptData, stage: .decode)
        }
    }
}
