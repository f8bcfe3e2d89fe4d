// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// Writes what is seen of pictures that are still arriving, each preview to a file of its own.
struct PreviewWriter: Sendable {
    private let folder: RawText
    private let stems: [String]
    private let pool = WorkPool()
    private let coder = Defaults.coders()

    /// A writer into `folder`, with names that begin with `stems`, by the URL's index.
    init(folder: RawText, stems: [String]) {
        self.folder = folder
        self.stems = stems
    }

    /// Writes the `number`th preview of the URL at `index`, counted from 1, as PNG.
    func write(_ preview: ImagePreview, _ index: Int, number: Int) async throws(ImageError) {
        let path = folder.appending(component: RawText("\(stems[index])-\(Self.digits(number)).png"))
        do {
            try await pool.run(cost: preview.pixels.byteCount) { work in
                let picture = DecodedImage(pixels: preview.pixels, format: preview.format)
                try OutputFile.write(try coder.encode(picture, as: .png, EncodeOptions(), work), to: path)
            }
        } catch {
            throw .wrapping(error, as: .encodeFailed, stage: .encode)
        }
    }

    /// Three at least, so that names sort as the previews came.
    private static func digits(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }
}
