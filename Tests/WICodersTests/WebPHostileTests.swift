// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

/// Bytes that are cut, damaged, or mean harm: a picture of the stated size or a typed error.
@Suite struct WebPHostileTests {
    private static let kinds = ["lossy", "lossless", "lossy with alpha", "animation"]

    private static func file(_ kind: String, _ width: Int = 70, _ height: Int = 90) throws -> WebPFile {
        switch kind {
        case "lossy": return try WebPFile.encoding(try ImageFactory.photoLike(width, height))
        case "lossless":
            return try WebPFile.encoding(try ImageFactory.photoLike(width, height), lossless: true)
        case "lossy with alpha": return try WebPFile.encoding(try ImageFactory.transparency(width, height))
        default:
            let size = PixelSize(width: width, height: height)
            let frame = try WebPFile.encoding(try ImageFactory.photoLike(width, height))
            return WebPFile.animation(
                PixelSize(width: width + 10, height: height + 7), frame.frame(size, x: 4, y: 2),
                frame.frame(size))
        }
    }

    private func survives(_ file: WebPFile, _ change: (inout DecodeOptions) -> Void = { _ in }) {
        var options = DecodeOptions()
        options.limits.pixels = 100_000
        change(&options)
        do {
            let info = try file.info()
            let image = try WebPCoder().decode(file.data, options, WorkContext())
            #expect(image.size == options.targetSize(for: info.displaySize))
            #expect(image.pixels.alphaMode != .opaque || image.pixels.relabelled(.straight).isOpaque())
            #expect(!image.metadata.isPartial || !image.metadata.warnings.isEmpty)
        } catch {
            #expect(error is ImageError, "\(error)")
        }
    }

    @Test("a file cut anywhere gives an error, or exactly the rows that exist", arguments: kinds)
    func everyCut(_ kind: String) throws {
        let file = try Self.file(kind)
        let still: (inout DecodeOptions) -> Void = { $0.firstFrameOnly = true }
        let whole = try file.decoded(still).pixels
        var mostRows = 0
        for count in stride(from: 0, to: file.bytes.count, by: max(1, file.bytes.count / 400)) {
            let cut = file.prefix(count)
            guard let image = try? cut.decoded(still) else {
                #expect([.truncatedData, .emptyData, .corruptData].contains(try #require(cut.errorCode())))
                continue
            }
            guard image.metadata.isPartial else {
                #expect(image.pixels.allBytes == whole.allBytes)
                continue
            }
            #expect(image.pixels.alphaMode == .straight && image.metadata.warnings.count == 2)
            let strict = cut.errorCode {
                ($0.firstFrameOnly, $0[WebPDecoding.self].strictness) = (true, .strict)
            }
            #expect(strict == .truncatedData)
            mostRows = max(mostRows, rows(of: image.pixels, in: whole))
        }
        #expect(mostRows >= 32)
    }

    /// The rows that are those of `whole`; all below them must be transparent.
    private func rows(of pixels: PixelBuffer, in whole: PixelBuffer) -> Int {
        let (cut, all, length) = (pixels.allBytes, whole.allBytes, pixels.bytesPerRow)
        let same = (0..<pixels.height).prefix {
            cut[$0 * length..<($0 + 1) * length] == all[$0 * length..<($0 + 1) * length]
        }.count
        #expect(cut[(same * length)...].allSatisfy { $0 == 0 })
        return same
    }

    @Test(arguments: kinds) func aCutPicturesThumbnailShowsTheRowsThatExist(_ kind: String) throws {
        let file = try Self.file(kind, 300, 400)
        let box: (inout DecodeOptions) -> Void = { $0.thumbnailSize = PixelSize(width: 30, height: 40) }
        let whole = try file.decoded(box).pixels
        let end = kind == "animation" ? file.bytes.count / 2 : file.bytes.count
        let cut = try file.prefix(end * 3 / 4).decoded(box)
        #expect(cut.metadata.isPartial && cut.size == whole.size)
        let length = whole.bytesPerRow
        #expect(cut.pixels.allBytes.suffix(length).allSatisfy { $0 == 0 })
        let (top, expected) = (cut.pixels.allBytes.prefix(10 * length), whole.allBytes.prefix(10 * length))
        #expect(zip(top, expected).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
    }

    @Test func aDamagedAlphaChannelLeavesTheColours() throws {
        let picture = try ImageFactory.transparency(40, 30)
        let parts = try WebPFile.encoding(picture)
        let lossy = Array(
            parts.picture.dropFirst(parts.picture.firstRange(of: Array("VP8 ".utf8))?.lowerBound ?? 0))
        let garbage = WebPFile.chunk("ALPH", [1] + [UInt8](repeating: 255, count: 20))
        let file = WebPFile.extended(picture.size, WebPFile.alphaFlag, garbage, lossy)
        let image = try file.decoded()
        #expect(image.metadata.isPartial && image.metadata.warnings.count == 2)
        let plain = try WebPFile.riff(lossy).decoded().pixels
        #expect(image.pixels.allBytes == plain.allBytes)
        #expect(file.errorCode { $0[WebPDecoding.self].strictness = .strict } == .corruptData)
    }

    @Test(arguments: kinds, 0..<4) func changedBytesAreSurvived(_ kind: String, _ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let file = try Self.file(kind, 64, 48)
        for _ in 0..<150 {
            var changed = file
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 4..<changed.bytes.count, using: &generator)
                changed.bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            if seed % 2 == 1 {
                changed = changed.prefix(Int.random(in: 0..<changed.bytes.count, using: &generator))
            }
            survives(changed)
            survives(changed) {
                $0.thumbnailSize = PixelSize(width: 12, height: 12)
                $0.pixelFormat = .bgra8
                $0.premultiplies = true
            }
        }
    }

    @Test(arguments: kinds) func changedHeadsAreSurvived(_ kind: String) throws {
        var generator = SeededGenerator(seed: 3)
        let file = try Self.file(kind, 64, 48)
        for _ in 0..<600 {
            var changed = file
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 4..<min(90, changed.bytes.count), using: &generator)
                changed.bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            survives(changed)
        }
    }

    @Test(
        .enabled(if: Corpus.isPresent, "WEBIMAGE_CORPUS names no corpus"), arguments: WebPHostileTests.small)
    func changedFilesOfTheCorpusAreSurvived(_ entry: CorpusEntry) throws {
        let file = WebPFile(bytes: Array(try #require(Corpus.shared).data(at: entry.path)))
        var generator = SeededGenerator(seed: UInt64(file.bytes.count))
        for _ in 0..<20 {
            var changed = file.prefix(Int.random(in: 1...file.bytes.count, using: &generator))
            for _ in 0..<3 {
                let place = Int.random(in: 0..<changed.bytes.count, using: &generator)
                changed.bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            survives(changed)
        }
    }

    private static let small = Corpus.entries {
        guard ["webp", "webp-anim"].contains($0.format), $0.bomb != true else { return false }
        return ($0.width ?? 0) * ($0.height ?? 0) <= 100_000
    }
}
