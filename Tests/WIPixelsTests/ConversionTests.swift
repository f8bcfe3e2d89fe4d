// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WIPixels

@Suite struct ConversionTests {
    /// Every pair of colour and alpha in one picture.
    private func allPairs(_ alphaMode: AlphaMode) throws -> PixelBuffer {
        try picture(256, 256, .rgba8, alphaMode) { x, y, channel in channel == 3 ? y : x }
    }

    @Test func multiplyingRoundsToTheNearestForEveryColourAndAlpha() throws {
        let result = try allPairs(.straight).converted(to: .rgba8, alphaMode: .premultiplied).samples
        let wrong = (0..<65536).filter { pair in
            let (alpha, colour) = (pair / 256, pair % 256)
            return result[4 * pair] != Int((Double(colour * alpha) / 255).rounded())
        }
        #expect(wrong.isEmpty)
    }

    @Test func dividingRoundsToTheNearestAndNeverPassesTheMaximum() throws {
        let result = try allPairs(.premultiplied).converted(to: .rgba8, alphaMode: .straight).samples
        let wrong = (0..<65536).filter { pair in
            let (alpha, colour) = (pair / 256, pair % 256)
            let exact = alpha == 0 ? 0 : min(255, Int((Double(colour * 255) / Double(alpha)).rounded()))
            return result[4 * pair] != exact
        }
        #expect(wrong.isEmpty)
    }

    @Test func sixteenBitsMultiplyAndDivideToTheNearest() throws {
        var random = Noise(7)
        let pairs = (0..<4096).map { _ in
            (Int.random(in: 0...65535, using: &random), Int.random(in: 0...65535, using: &random))
        }
        let straight = try picture(4096, 1, .rgba16, .straight) { x, _, channel in
            channel == 3 ? pairs[x].1 : pairs[x].0
        }
        let multiplied = try straight.converted(to: .rgba16, alphaMode: .premultiplied)
        let divided = try multiplied.converted(to: .rgba16, alphaMode: .straight)
        let products = multiplied.samples
        let quotients = divided.samples
        for (x, (colour, alpha)) in pairs.enumerated() {
            let product = Int((Double(colour * alpha) / 65535).rounded())
            #expect(products[4 * x] == product)
            let quotient = alpha == 0 ? 0 : min(65535, (product * 65535 + alpha / 2) / alpha)
            #expect(quotients[4 * x] == quotient)
        }
    }

    @Test func eightBitsSurviveTheWayToSixteenAndBack() throws {
        let source = try noise(31, 17, .rgba8, .straight)
        let wide = try source.converted(to: .rgba16, alphaMode: .straight)
        #expect(wide.samples == source.samples.map { $0 * 257 })
        #expect(try wide.converted(to: .rgba8, alphaMode: .straight).samples == source.samples)
    }

    @Test func narrowingDropsTheLowByte() throws {
        let source = try picture(1, 1, .rgba16, .straight) { _, _, channel in
            [0x12FF, 0x00FF, 0xFF00, 0x80FF][channel]
        }
        #expect(try source.converted(to: .rgba8, alphaMode: .straight).samples == [0x12, 0x00, 0xFF, 0x80])
        #expect(try source.converted(to: .bgra8, alphaMode: .straight).samples == [0xFF, 0x00, 0x12, 0x80])
    }

    @Test func redAndBlueChangePlaces() throws {
        let source = try picture(3, 1) { x, _, channel in channel == 3 ? 255 : 10 * x + channel }
        let swapped = try source.converted(to: .bgra8, alphaMode: .opaque)
        #expect(swapped.samples == [2, 1, 0, 255, 12, 11, 10, 255, 22, 21, 20, 255])
        #expect(
            try swapped.converted(to: .rgba16, alphaMode: .opaque).samples == source.samples.map { $0 * 257 })
    }

    @Test func dividingComesBeforeBitsAreDropped() throws {
        let source = try picture(1, 1, .rgba16, .premultiplied) { _, _, channel in
            channel == 3 ? 0x01FF : 0x0100
        }
        // 256/511 of the maximum, not 1/1 of it.
        #expect(try source.converted(to: .rgba8, alphaMode: .straight).samples == [0x80, 0x80, 0x80, 0x01])
    }

    @Test func anOpaquePictureIsOnlyRelabelled() throws {
        let source = try noise(4, 4)
        let relabelled = try source.converted(to: .rgba8, alphaMode: .premultiplied)
        #expect(relabelled.alphaMode == .premultiplied && relabelled.samples == source.samples)
        let addresses = [source, relabelled].map { $0.withUnsafeBytes { $0.baseAddress } }
        #expect(addresses[0] == addresses[1])
    }

    @Test func opaqueKeepsStraightColoursAndFillsAlpha() throws {
        let source = try picture(1, 1, .rgba8, .premultiplied) { _, _, channel in channel == 3 ? 128 : 64 }
        #expect(try source.converted(to: .rgba8, alphaMode: .opaque).samples == [128, 128, 128, 255])
    }

    @Test(arguments: allFormats)
    func oneTransparentPixelMakesAPictureNotOpaque(format: PixelFormat) throws {
        let most = 1 << format.bitsPerChannel - 1
        let clear = try picture(300, 5, format, .straight) { x, y, channel in
            channel == 3 && x == 299 && y == 4 ? most - 1 : most
        }
        #expect(!clear.isOpaque())
        #expect(try picture(300, 5, format, .straight) { _, _, _ in most }.isOpaque())
        #expect(clear.relabelled(.opaque).isOpaque())
    }
}
