// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WITestKit

/// Bytes that mean harm: whatever comes, it is a picture of the stated size or a typed error.
@Suite struct JPEGHostileTests {
    private func survives(_ file: JPEGFile, _ change: (inout DecodeOptions) -> Void = { _ in }) {
        var options = DecodeOptions()
        options.limits.pixels = 100_000
        change(&options)
        do {
            guard case .info(let info) = try file.probed() else {
                Issue.record("A complete file needs more bytes.")
                return
            }
            let image = try JPEGCoder().decode(file.data, options, WorkContext())
            #expect(image.size == options.targetSize(for: info.displaySize))
            #expect(
                image.pixels.withUnsafeBytes { bytes in
                    stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 }
                })
        } catch {
            #expect(error is ImageError, "\(error)")
        }
    }

    @Test(arguments: [false, true]) func everyLengthOfACutFileIsSurvived(_ isProgressive: Bool) throws {
        let file = try JPEGFile.photo(48, 40) { $0[JPEGEncoding.self].isProgressive = isProgressive }
            .insertingEXIF(6)
        for count in 0..<file.bytes.count {
            let cut = file.prefix(count)
            survives(cut)
            survives(cut) { $0.thumbnailSize = PixelSize(width: 10, height: 10) }
        }
    }

    @Test(arguments: 0..<8) func changedBytesAreSurvived(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let file = try JPEGFile.photo(64, 48, seed: seed) {
            $0[JPEGEncoding.self].isProgressive = seed % 2 == 1
            $0.quality = 60
        }.insertingEXIF(Int(seed) + 1)
        for _ in 0..<250 {
            var changed = file
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place = Int.random(in: 2..<changed.bytes.count, using: &generator)
                changed.bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            survives(changed)
            survives(changed) {
                $0.thumbnailSize = PixelSize(width: 12, height: 12)
                $0.pixelFormat = .bgra8
            }
        }
    }

    @Test(arguments: 0..<4) func changedHeadsAreSurvived(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: 100 + seed)
        let file = try JPEGFile.photo(32, 32).insertingEXIF(5)
        let end = try #require(file.offsets(of: 0xDA).first) + 14
        for _ in 0..<400 {
            var changed = file
            let place = Int.random(in: 2..<end, using: &generator)
            changed.bytes[place] = UInt8.random(in: 0...255, using: &generator)
            survives(changed)
        }
    }

    @Test(
        .enabled(if: Corpus.isPresent, "WEBIMAGE_CORPUS names no corpus"), arguments: JPEGHostileTests.small)
    func changedFilesOfTheCorpusAreSurvived(_ entry: CorpusEntry) throws {
        let corpus = try #require(Corpus.shared)
        let file = JPEGFile(bytes: Array(try corpus.data(at: entry.path)))
        var generator = SeededGenerator(seed: UInt64(file.bytes.count))
        for _ in 0..<20 {
            var changed = file.prefix(Int.random(in: 1...file.bytes.count, using: &generator))
            for _ in 0..<3 {
                let place = Int.random(in: 0..<changed.bytes.count, using: &generator)
                changed.bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            survives(changed) { $0.limits.scans = 20 }
        }
    }

    private static let small = Corpus.entries {
        guard $0.format == "jpeg", $0.bomb != true else { return false }
        return ($0.width ?? 0) * ($0.height ?? 0) <= 60_000
    }
}
