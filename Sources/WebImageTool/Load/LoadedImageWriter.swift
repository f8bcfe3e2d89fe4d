// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WIColor
internal import WebImage

/// What was written of a picture, or would have been.
struct WrittenImage: Sendable {
    /// Nil where nothing was written.
    let path: RawText?
    let format: ImageFormat?
    let byteCount: Int?
}

/// Encodes loaded pictures where needed, and puts them where the command line says.
struct LoadedImageWriter: Sendable {
    let wish: LoadWish
    /// File names without extension, by the URL's index.
    let stems: [String]
    private let pool = WorkPool()
    private let coder = Defaults.coders()

    init(wish: LoadWish, stems: [String]) {
        self.wish = wish
        self.stems = stems
    }

    /// Writes the picture of the URL at `index`.
    func write(_ result: ImageResult, _ index: Int) async throws(ImageError) -> WrittenImage {
        guard wish.output != .nowhere else {
            return WrittenImage(path: nil, format: result.image.format, byteCount: result.data?.count)
        }
        let cost = result.image.pixels.byteCount
        do {
            return try await pool.run(cost: cost) { work in try writeNow(result, index, work) }
        } catch {
            throw .wrapping(error, as: .encodeFailed, stage: .encode)
        }
    }

    private func writeNow(
        _ result: ImageResult, _ index: Int, _ work: borrowing WorkContext
    ) throws -> WrittenImage {
        let (data, format) = try bytes(result, work)
        var path: RawText?
        switch wish.output {
        case .nowhere: break
        case .standardOutput: try OutputFile.writeToStandardOutput(data)
        case .file(let file): path = file
        case .directory(let folder):
            path = folder.appending(component: RawText("\(stems[index]).\(format.fileExtension)"))
        }
        if let path { try OutputFile.write(data, to: path) }
        return WrittenImage(path: path, format: format, byteCount: data.count)
    }

    /// The bytes as they came where they will do, else encoded anew.
    private func bytes(_ result: ImageResult, _ work: borrowing WorkContext) throws -> (Data, ImageFormat) {
        let own = result.image.format
        let mustConvert = wish.edits.convertsToSRGB && result.image.metadata.iccProfile != nil
        if !mustConvert, wish.edits.isEmpty, wish.encoding == nil, let data = result.data, let own,
            wish.format ?? own == own
        {
            return (data, own)
        }
        let format = wish.format ?? own.flatMap { coder.canEncode($0) ? $0 : nil } ?? .png
        guard coder.canEncode(format) else {
            throw ImageError(
                .unsupportedFormat, stage: .encode,
                "The picture is \(own?.name ?? "of no format") and cannot be written as \(format); "
                    + "\(EncodableFormats.text) can.")
        }
        let image = mustConvert ? try result.image.convertedToSRGB(work) : result.image
        return (try coder.encode(image, as: format, wish.encoding ?? EncodeOptions(), work), format)
    }
}
