// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIPNG
import WITestKit

/// Every PNG and APNG of the corpus, by both ways of decoding.
@Suite(.enabled("WEBIMAGE_CORPUS names no corpus", { Corpus.isPresent }))
struct PNGCorpusTests {
    static let entries = Corpus.entries { ["png", "apng"].contains($0.format) && $0.sniffOnly != true }

    private func decode(
        _ entry: CorpusEntry, _ options: DecodeOptions = DecodeOptions(), byLibrary: Bool = false
    ) throws
        -> DecodedImage
    {
        let data = try #require(Corpus.shared).data(at: entry.path)
        return try PNGDecoder(data, options, usesLibraryAlone: byLibrary).decode(WorkContext())
    }

    /// The claimed digests of the default image, and whether transparent colour counts in them.
    private func digests(_ entry: CorpusEntry) -> (exact: [String], zeroed: [String]) {
        if entry.format == "apng" { return ([entry.defaultImageSHA256].compactMap(\.self), []) }
        let zeroed =
            (entry.rgbaSHA256ZT?.all ?? []) + (entry.candidates ?? []).flatMap { $0.rgbaSHA256ZT?.all ?? [] }
        return (entry.rgbaSHA256?.all ?? [], zeroed)
    }

    static func hex(_ pixels: PixelBuffer, zeroed: Bool = false) -> String {
        pixels.withUnsafeBytes { bytes in
            guard zeroed else { return SHA256.hex(bytes) }
            var copy = Array(bytes)
            for offset in stride(from: 0, to: copy.count, by: 4) where copy[offset + 3] == 0 {
                for channel in 0..<3 { copy[offset + channel] = 0 }
            }
            return SHA256.hex(copy)
        }
    }

    @Test("whole files give exactly the pixels that are claimed, by both ways", arguments: [false, true])
    func exactPixels(byLibrary: Bool) throws {
        var compared = 0
        for entry in Self.entries where entry.expect == .decode && entry.bomb != true {
            let pixels = try decode(entry, byLibrary: byLibrary).pixels
            #expect(pixels.width == entry.displayWidth && pixels.height == entry.displayHeight, "\(entry)")
            let (exact, zeroed) = digests(entry)
            guard !exact.isEmpty || !zeroed.isEmpty else { continue }
            compared += 1
            let isRight =
                exact.contains(Self.hex(pixels))
                || (!zeroed.isEmpty && zeroed.contains(Self.hex(pixels, zeroed: true)))
            #expect(isRight, "\(entry)")
        }
        #expect(compared > 150)
    }

    @Test("every file of the corpus gives the same pixels or the same error by both ways")
    func waysAgree() throws {
        for entry in Self.entries {
            let whole = Result { try decode(entry) }
            let library = Result { try decode(entry, byLibrary: true) }
            switch (whole, library) {
            case (.success(let a), .success(let b)):
                #expect(Self.hex(a.pixels) == Self.hex(b.pixels), "\(entry)")
                #expect(a.metadata.isPartial == b.metadata.isPartial, "\(entry)")
            case (.failure(let a as ImageError), .failure(let b as ImageError)):
                #expect(a.code == b.code, "\(entry)")
            default: Issue.record("\(entry): \(whole) and \(library)")
            }
        }
    }

    @Test(
        "every frame of an animation is the one that players show",
        arguments: entries.filter { $0.format == "apng" && $0.expect == .decode && $0.bomb != true })
    func frames(_ entry: CorpusEntry) throws {
        let data = try #require(Corpus.shared).data(at: entry.path)
        guard let source = try PNGCoder().frameSource(data, DecodeOptions()) else {
            // A single frame, which is the default image.
            let digest = Self.hex(try decode(entry).pixels)
            #expect(entry.frameCount == 1 && entry.rgbaSHA256?.all == [digest])
            return
        }
        #expect(source.frames.count == entry.frameCount && source.loopCount == entry.loopCount)
        for (frame, expected) in zip(source.frames, try #require(entry.frameDurationsMs)) {
            #expect(abs(frame.durationMilliseconds - expected) < 0.001)
        }
        let reader = try source.makeReader()
        for index in source.frames.indices {
            let pixels = try reader.frame(at: index, WorkContext())
            if let digests = entry.rgbaSHA256?.all {
                let zeroed = entry.rgbaSHA256ZT?.all.dropFirst(index).first
                #expect(
                    digests[index] == Self.hex(pixels) || zeroed == Self.hex(pixels, zeroed: true),
                    "frame \(index)")
            } else {
                let path = try #require(entry.expected).all[index]
                let expected = try PNGCoder().decode(
                    try #require(Corpus.shared).data(at: path), DecodeOptions(), WorkContext())
                let most = try #require(entry.tolerance).maxAbs
                #expect(Double(pixels.difference(from: expected.pixels)) <= most, "frame \(index)")
            }
        }
        let last = source.frames.count - 1
        let played = try reader.frame(at: last, WorkContext()).allBytes
        #expect(try source.makeReader().frame(at: last, WorkContext()).allBytes == played)
    }

    @Test("bits that libpng drops are there when 16 bits are asked for")
    func sixteenBits() throws {
        var options = DecodeOptions()
        options.pixelFormat = .rgba16
        for entry in Self.entries where entry.expect == .decode && entry.bomb != true {
            let narrow = try decode(entry).pixels
            let wide = try decode(entry, options).pixels
            #expect(wide.format == .rgba16)
            let reduced = wide.withUnsafeBytes { bytes in
                bytes.bindMemory(to: UInt16.self).map { UInt8($0 >> 8) }
            }
            #expect(narrow.withUnsafeBytes { Array($0) } == reduced, "\(entry)")
        }
    }

    @Test("a part of a file says how much more the probe needs, and the whole never needs more")
    func partsOfFiles() throws {
        for entry in Self.entries where entry.expect == .decode {
            let data = try #require(Corpus.shared).data(at: entry.path)
            var length = 8
            for _ in 0..<200 {
                guard
                    case .needs(let count) = try PNGCoder().probe(
                        data.prefix(length).bytes, isComplete: false)
                else {
                    break
                }
                #expect(count.bytes > length && count.bytes <= data.count, "\(entry)")
                length = count.bytes
            }
            guard case .info(let info) = try PNGCoder().probe(data.prefix(length).bytes, isComplete: false)
            else {
                Issue.record("\(entry) never has enough")
                continue
            }
            #expect(info.storedSize.width == entry.width, "\(entry)")
        }
    }
}
