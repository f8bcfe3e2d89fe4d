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
    /// Its threads help with work that comes in blocks.
    private let pool = WorkPool()

    init(format: ImageFormat, edits: Edits, options: EncodeOptions) {
        self.format = format
        self.edits = edits
        self.options = options
    }

    /// Decodes, edits and encodes, on the thread that calls and on those that help.
    func run(_ data: Data, with coder: any ImageCoder) throws(ImageError) -> ConversionResult {
        let work = WorkContext(flag: CancellationFlag(), helpers: pool)
        do {
            var decoding = DecodeOptions()
            let animated = (coder as? any AnimatedImageCoder)?.animatedFormats ?? []
            decoding.firstFrameOnly = options.firstFrameOnly || !animated.contains(format)
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
