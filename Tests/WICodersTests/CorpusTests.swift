// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WITestKit

/// Every picture file of the corpus against its right answers. Skipped where there is no corpus.
@Suite(.enabled(if: Corpus.isPresent, "WEBIMAGE_CORPUS names no corpus")) struct CorpusTests {
    private let coders = CodersManager([PAMCoder(), GIFCoder(), WebPCoder(), PNGCoder(), JPEGCoder()])

    private static let formatNames = ["webp-anim": "webp", "apng": "png"]

    static func isOurs(_ entry: CorpusEntry) -> Bool {
        ["jpeg", "png", "apng", "webp", "webp-anim", "gif"].contains(entry.format) && entry.sniffOnly != true
    }

    private func decode(
        _ entry: CorpusEntry, _ change: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> DecodedImage {
        var options = DecodeOptions()
        change(&options)
        let data = try #require(Corpus.shared).data(at: entry.path)
        return try coders.decode(data, options, WorkContext())
    }

    @Test(arguments: Corpus.entries { isOurs($0) && $0.expect == .decode })
    func aSoundFileDecodesToItsPixels(_ entry: CorpusEntry) throws {
        let image: DecodedImage
        do {
            image = try decode(entry)
        } catch let error as ImageError where entry.bomb == true && error.isLimit {
            return
        }
        if let width = entry.displayWidth, let height = entry.displayHeight,
            entry.ambiguousOrientation != true
        {
            #expect(image.size == PixelSize(width: width, height: height))
        }
        // A picture that libjpeg warns of is marked, also where everybody agrees on its pixels.
        if image.metadata.isPartial { #expect(!image.metadata.warnings.isEmpty) }
        try check(image, entry)
    }

    private func check(_ image: DecodedImage, _ entry: CorpusEntry) throws {
        let exact = image.pixels.withUnsafeBytes { SHA256.hex($0) }
        if entry.format == "apng" {
            if let expected = entry.defaultImageSHA256 { #expect(exact == expected) }
            return
        }
        if let expected = entry.libjpegTurboSHA256 { #expect(exact == expected) }
        let claimed = [entry.rgbaSHA256, entry.rgbaSHA256Round16].compactMap { $0?.all.first }
        if !claimed.isEmpty {
            let accepted =
                claimed + (entry.ambiguousOrientation == true ? entry.rgbaSHA256Unoriented?.all ?? [] : [])
            #expect(accepted.contains(exact))
        } else if let tolerance = entry.tolerance, let path = entry.expected?.all.first {
            let data = try #require(Corpus.shared).data(at: path)
            let expected = try coders.decode(data, DecodeOptions(), WorkContext())
            let (most, mean) = difference(image.pixels, expected.pixels)
            #expect(most <= tolerance.maxAbs)
            #expect(mean <= tolerance.meanAbs)
        }
    }

    private func difference(_ left: PixelBuffer, _ right: PixelBuffer) -> (most: Double, mean: Double) {
        guard left.size == right.size else { return (.infinity, .infinity) }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                var most = 0
                var sum = 0
                for index in left.indices {
                    let step = abs(Int(left[index]) - Int(right[index]))
                    most = max(most, step)
                    sum += step
                }
                return (Double(most), Double(sum) / Double(max(1, left.count)))
            }
        }
    }

    @Test(arguments: Corpus.entries { isOurs($0) && $0.expect != .decode })
    func aDamagedFileIsAnErrorOrAPictureOfItsSize(_ entry: CorpusEntry) throws {
        do {
            let image = try decode(entry)
            #expect(entry.expect == .partial)
            if let width = entry.displayWidth, let height = entry.displayHeight {
                #expect(image.size == PixelSize(width: width, height: height))
            }
        } catch let error as ImageError {
            #expect(!error.message.isEmpty)
        }
    }

    @Test(arguments: Corpus.entries { isOurs($0) && $0.expect == .decode })
    func theHeadSaysWhatTheManifestSays(_ entry: CorpusEntry) throws {
        let data = try #require(Corpus.shared).data(at: entry.path)
        guard case .info(let info) = try coders.probe(data.bytes, isComplete: true) else {
            Issue.record("A complete file needs more bytes.")
            return
        }
        #expect(info.format.name == Self.formatNames[entry.format] ?? entry.format)
        if let width = entry.width, let height = entry.height {
            #expect(info.storedSize == PixelSize(width: width, height: height))
        }
        if let orientation = entry.orientation { #expect(info.orientation.rawValue == orientation) }
        if let alpha = entry.hasAlpha { #expect(info.hasAlpha == alpha) }
        if let icc = entry.hasICC { #expect(info.hasICCProfile == icc) }
        if ["apng", "webp-anim"].contains(entry.format) {
            if let count = entry.frameCount { #expect(info.frameCount == count) }
            if let count = entry.loopCount { #expect(info.loopCount == count) }
            if let durations = entry.frameDurationsMs {
                // The manifest stops at 400.
                #expect(min(400, info.frameDurationsMilliseconds.count) == durations.count)
                for (found, expected) in zip(info.frameDurationsMilliseconds, durations) {
                    #expect(abs(found - expected) < 0.001)
                }
            }
        }
    }

    @Test(arguments: Corpus.entries { isOurs($0) && $0.expect == .decode && $0.bomb != true })
    func aThumbnailFitsItsBoxAndLooksLikeThePicture(_ entry: CorpusEntry) throws {
        let box = PixelSize(width: 40, height: 30)
        let thumbnail = try decode(entry) { $0.thumbnailSize = box }
        let full = try decode(entry)
        #expect(thumbnail.size == full.size.fitting(box))
        #expect(thumbnail.pixels.alphaMode == full.pixels.alphaMode)
    }

    @Test func everyFormatOfTheCorpusIsRecognised() throws {
        let corpus = try #require(Corpus.shared)
        for entry in corpus.entries where entry.expect == .decode {
            guard !["gzip", "isobmff", "unknown", "empty"].contains(entry.format) else { continue }
            let data = try corpus.data(at: entry.path)
            #expect(
                ImageFormat.detect(data.bytes)?.name == Self.formatNames[entry.format] ?? entry.format,
                "\(entry.path)")
        }
        for entry in corpus.entries where ["gzip", "isobmff", "unknown", "empty"].contains(entry.format) {
            let data = try corpus.data(at: entry.path)
            #expect(ImageFormat.detect(data.bytes) == nil, "\(entry.path)")
        }
    }
}
