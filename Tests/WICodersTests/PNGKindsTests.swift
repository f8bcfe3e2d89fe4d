// SPDX-License-Identifier: MIT
import FoundationEssentials
import PNGShim
import Testing
import WICore
@testable import WIPNG
import WITestKit

/// The vector code against plain C, and the whole-file way against libpng, on random rows with random filters.
struct PNGKindsTests {
    struct Kind: CustomTestStringConvertible, Sendable {
        let colorType: Int
        let depth: Int
        var testDescription: String { "type \(colorType), depth \(depth)" }
    }
    static let kinds =
        [1, 2, 4, 8, 16].map { Kind(colorType: 0, depth: $0) }
        + [8, 16].map { Kind(colorType: 2, depth: $0) }
        + [1, 2, 4, 8].map { Kind(colorType: 3, depth: $0) } + [8, 16].map { Kind(colorType: 4, depth: $0) }
        + [8, 16].map { Kind(colorType: 6, depth: $0) }

    @Test("every kind of file gives the same pixels by both ways, in every pixel format", arguments: kinds)
    func waysAgree(_ kind: Kind) throws {
        var generator = SeededGenerator(seed: UInt64(kind.colorType * 100 + kind.depth))
        for width in [1, 2, 3, 4, 5, 7, 8, 9, 16, 33] {
            for withTransparency in [false, true] where !(withTransparency && kind.colorType >= 4) {
                var maker = PNGMaker(width, 6, depth: kind.depth, colorType: kind.colorType)
                maker.chunkSize = 50
                maker.before = chunks(kind, withTransparency, &generator)
                let rows = maker.noise(&generator)
                let file = maker.file(rows)
                for format in [PixelFormat.rgba8, .bgra8, .rgba16] {
                    var options = DecodeOptions()
                    options.pixelFormat = format
                    let whole = try PNGDecoder(file, options).decode(WorkContext())
                    let library = try PNGDecoder(file, options, usesLibraryAlone: true).decode(WorkContext())
                    #expect(!whole.metadata.isPartial)
                    // libpng warns of a gray key beyond the depth, and goes on with its low bits as we do.
                    #expect(whole.metadata.warnings.isEmpty || (format == .rgba16 && withTransparency))
                    #expect(whole.pixels.format == format)
                    #expect(bytes(whole) == bytes(library), "width \(width), \(format)")
                    let hasAlpha = kind.colorType >= 4 || withTransparency
                    #expect(whole.pixels.alphaMode == (hasAlpha ? .straight : .opaque))
                }
            }
        }
    }

    /// A palette shorter than the indices can reach, and transparency that some pixels hit.
    private func chunks(
        _ kind: Kind, _ withTransparency: Bool, _ generator: inout SeededGenerator
    ) -> [(String, [UInt8])] {
        var chunks: [(String, [UInt8])] = []
        let entries = max(1, (1 << kind.depth) - 3)
        if kind.colorType == 3 {
            chunks.append(
                ("PLTE", (0..<entries * 3).map { _ in UInt8(truncatingIfNeeded: generator.next()) }))
        }
        guard withTransparency else { return chunks }
        switch kind.colorType {
        case 0: chunks.append(("tRNS", [0x01, 0x01]))
        case 2: chunks.append(("tRNS", [0, 1, 0, 2, 0, 3]))
        default:
            chunks.append(
                ("tRNS", (0..<(entries + 1) / 2).map { _ in UInt8(truncatingIfNeeded: generator.next()) }))
        }
        return chunks
    }

    @Test("an RGB pixel of exactly the transparent colour is transparent")
    func colourKey() throws {
        var maker = PNGMaker(3, 2)
        maker.before = [("tRNS", [0, 1, 0, 2, 0, 3])]
        let file = maker.file([0, 1, 2, 3, 9, 9, 9, 1, 2, 4, 4, 0, 0, 0, 1, 2, 3, 0, 0, 0])
        let pixels = try PNGDecoder(file, DecodeOptions()).decode(WorkContext()).pixels
        let library = try PNGDecoder(file, DecodeOptions(), usesLibraryAlone: true).decode(WorkContext())
            .pixels
        let expected: [UInt8] = [1, 2, 3, 0, 9, 9, 9, 255, 1, 2, 4, 255]
        #expect(pixels.withUnsafeBytes { Array($0.prefix(12)) } == expected)
        #expect(pixels.withUnsafeBytes { Array($0) } == library.withUnsafeBytes { Array($0) })
    }

    @Test(
        "interlaced pictures of every size up to 9 equal libpng's own row-by-row reading of the same pixels")
    func interlaced() throws {
        let picture = try ImageFactory.noise(9, 9, seed: 3, alphaMode: .straight)
        for width in 1...9 {
            for height in 1...9 {
                let part = try ImageFactory.picture(width, height, alphaMode: .straight) { x, y, channel in
                    picture.withUnsafeBytes { $0[(y * 9 + x) * 4 + channel] }
                }
                var options = EncodeOptions()
                options[PNGEncoding.self].isInterlaced = true
                let file = try PNGCoder().encode(DecodedImage(pixels: part), as: .png, options, WorkContext())
                let decoded = try PNGCoder().decode(file, DecodeOptions(), WorkContext())
                #expect(bytes(decoded) == part.withUnsafeBytes { Array($0) }, "\(width)x\(height)")
                #expect(decoded.metadata.warnings.isEmpty)
            }
        }
    }

    @Test("vector code and plain C undo filters alike", arguments: [3, 4])
    func vectorRows(channels: Int) {
        var generator = SeededGenerator(seed: UInt64(channels))
        for width in 1...67 {
            for filter in 0..<25 {
                let first = random(width * channels + 16, &generator)
                let second = random(width * channels + 16, &generator)
                var above = random(width * 4, &generator)
                if channels == 3 { for x in 0..<width { above[4 * x + 3] = 255 } }
                var results: [[UInt8]] = []
                for vector in [false, true] {
                    var target = [UInt8](repeating: 7, count: width * 8)
                    var filters = [Int32(filter % 5), Int32(filter / 5)]
                    wi_png_unfilter_pair_to_rgba(
                        &filters, first, second, above, &target, width * 4, width, Int32(channels), vector)
                    results.append(target)
                }
                #expect(results[0] == results[1], "width \(width), filters \(filter % 5) and \(filter / 5)")
            }
        }
    }

    private func random(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    private func bytes(_ image: DecodedImage) -> [UInt8] { image.pixels.withUnsafeBytes { Array($0) } }
}
