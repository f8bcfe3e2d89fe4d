// SPDX-License-Identifier: MIT
package import FoundationEssentials

/// A folder of picture files with a manifest of expected values, named by the variable `WEBIMAGE_CORPUS`.
///
/// It is not part of the package: tests that need it are skipped where the variable is not set
/// (`.enabled(if: Corpus.isPresent)`).
package struct Corpus: Sendable {
    /// The folder.
    package let root: URL
    /// All lines of the manifest.
    package let entries: [CorpusEntry]

    /// Whether the variable names a folder with a manifest.
    package static var isPresent: Bool { folder != nil }

    /// The corpus that the variable names, read once; nil where there is none or its manifest is unreadable.
    package static let shared: Corpus? = {
        guard let folder, let data = try? Data(contentsOf: folder.appending(path: "manifest.json")),
            let entries = try? JSONDecoder().decode([CorpusEntry].self, from: data)
        else { return nil }
        return Corpus(root: folder, entries: entries)
    }()

    private static let folder: URL? = {
        guard let path = ProcessInfo.processInfo.environment["WEBIMAGE_CORPUS"], !path.isEmpty else {
            return nil
        }
        let folder = URL(filePath: path, directoryHint: .isDirectory)
        let manifest = folder.appending(path: "manifest.json").path
        return FileManager.default.fileExists(atPath: manifest) ? folder : nil
    }()

    /// The entries of the shared corpus that `isWanted`; empty where there is no corpus.
    package static func entries(where isWanted: (CorpusEntry) -> Bool) -> [CorpusEntry] {
        shared?.entries.filter(isWanted) ?? []
    }

    /// The bytes of a file below the folder.
    package func data(at path: String) throws -> Data {
        try Data(contentsOf: root.appending(path: path))
    }
}

/// One line of the corpus manifest: a file and what a decoder should make of it.
package struct CorpusEntry: Decodable, Sendable, CustomStringConvertible {
    /// What a decoder does with the file.
    package enum Expectation: String, Decodable, Sendable {
        /// It must decode whole.
        case decode
        /// An error and a partly filled picture are both fine.
        case partial
        /// No picture can be had.
        case error
    }

    /// How far pixels may lie from the expected picture.
    package struct Tolerance: Decodable, Sendable {
        /// The largest difference of any channel of any pixel.
        package let maxAbs: Double
        /// The mean difference over all channels and pixels.
        package let meanAbs: Double
    }

    /// One digest, or one for each frame.
    package struct Digests: Decodable, Sendable {
        /// The digests, the first frame's first.
        package let all: [String]

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let list = try? container.decode([String?].self) {
                all = list.map { $0 ?? "" }
            } else {
                all = [try container.decode(String.self)]
            }
        }
    }

    /// Decoders that agree with each other where nothing is claimed as right.
    package struct Candidate: Decodable, Sendable {
        /// The decoders.
        package let by: [String]
        package let width: Int
        package let height: Int
        /// SHA-256 with the colour of transparent pixels zeroed.
        package let rgbaSHA256ZT: Digests?
    }

    package let path: String
    package let format: String
    package let width: Int?
    package let height: Int?
    package let displayWidth: Int?
    package let displayHeight: Int?
    package let orientation: Int?
    package let ambiguousOrientation: Bool?
    package let frameCount: Int?
    package let loopCount: Int?
    package let frameDurationsMs: [Double]?
    package let hasAlpha: Bool?
    package let hasICC: Bool?
    package let expect: Expectation
    package let sniffOnly: Bool?
    package let bomb: Bool?
    package let rgbaSHA256: Digests?
    package let rgbaSHA256ZT: Digests?
    package let rgbaSHA256Round16: Digests?
    package let rgbaSHA256Unoriented: Digests?
    package let cgbiSHA256: Digests?
    package let defaultImageSHA256: String?
    package let libjpegTurboSHA256: String?
    /// Groups of decoders that part ways where no digest is claimed.
    package let candidates: [Candidate]?
    /// Decoders that differ from the digest claimed.
    package let alternatives: [Candidate]?
    package let tolerance: Tolerance?
    /// PNGs below the corpus folder, one for each frame.
    package let expected: Digests?
    /// Hexadecimal RGBA means of 8 × 8 cells.
    package let grid8x8: String?
    package let note: String?

    package var description: String { path }
}
