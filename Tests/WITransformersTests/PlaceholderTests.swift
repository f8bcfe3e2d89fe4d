// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITransformers

@Suite struct PlaceholderTests {
    /// A picture that can be made anywhere from these words: the hashes below are those of other implementations.
    private func pattern(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try picture(width, height, .opaque) { x, y in
            Exact(Double(x * 5 % 256) / 255, Double((y * 7 + x) % 256) / 255, Double(x * y % 256) / 255, 1)
        }
    }

    @Test func hashesAreThoseOfOtherImplementations() throws {
        #expect(try ThumbHash(pattern(48, 32)).base64 == "negNJZZgdndxeIiGiGiHh7CTDPiI")
        #expect(try ThumbHash(pattern(20, 60)).base64 == "VocJGgxQYxiHgYpG+64Xp/g=")
        #expect(try BlurHash(pattern(48, 32)).text == "LrG9W;1H#kSvl[W,k9e=f{f$e?f+")
        #expect(try BlurHash(pattern(20, 60)).text == "LX6d%3Ojn{f|iuawf8f9dGerfAe@")
    }

    @Test func aBlurHashIsDecodedAsElsewhere() throws {
        let pixels = try BlurHash("LrG9W;1H#kSvl[W,k9e=f{f$e?f+").pixels(size(8, 6))
        for (place, expected) in [
            ((0, 0), [16, 0, 0]), ((3, 2), [91, 86, 150]), ((7, 5), [206, 206, 144]),
        ] {
            let pixel = pixels.pixel(place.0, place.1)
            #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel)")
        }
    }

    @Test func aThumbHashLooksLikeItsPicture() throws {
        let source = try picture(60, 40) { x, y in
            Exact(Double(x) / 60, 0.5, 1 - Double(y) / 40, x < 30 ? 1 : 0)
        }
        let hash = try ThumbHash(source)
        #expect(abs(hash.aspectRatio - 1.5) < 0.25 && abs(hash.averageColor.alpha - 0.5) < 0.05)
        let pixels = try hash.pixels()
        #expect(pixels.width == 32 && pixels.alphaMode == .straight)
        let (left, right) = (pixels.pixel(4, 2), pixels.pixel(28, 10))
        #expect(left[3] > 200 && right[3] < 50)
        #expect(abs(left[1] - 128) < 40 && left[2] > left[0])
        let again = try ThumbHash(base64: hash.base64)
        #expect(again == hash)
        #expect(try again.pixels(size(7, 90)).size == size(7, 90))
    }

    @Test(arguments: [0, 1, 4, 5, 6, 12]) func aCutThumbHashIsAnError(count: Int) throws {
        let whole = try #require(Data(base64Encoded: "negNJZZgdndxeIiGiGiHh7CTDPiI"))
        #expect(throws: ImageError.self) { try ThumbHash(bytes: whole.prefix(count)) }
    }

    @Test func everyHashOfNoiseIsAPictureOrAnError() throws {
        var state: UInt64 = 7
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 40)
        }
        let letters = Array(
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~é \"")
        for _ in 0..<300 {
            let bytes = Data((0..<Int(next() % 40)).map { _ in next() })
            if let hash = try? ThumbHash(bytes: bytes) { #expect(try hash.pixels().width > 0) }
            let text = String((0..<Int(next() % 40)).map { _ in letters[Int(next()) % letters.count] })
            if let hash = try? BlurHash(text) { #expect(try hash.pixels(size(3, 2)).width == 3) }
        }
    }

    @Test(arguments: [
        "", "L", "LrG9W;1H#kSvl[W,k9e=f{f$e?f", "LrG9W;1H#kSvl[W,k9e=f{f$e?f+0", "~rG9W;", "0~~~~~", "00é000",
    ])
    func aTextThatIsNoBlurHashIsAnError(text: String) {
        let error = #expect(throws: ImageError.self) { try BlurHash(text) }
        #expect(error?.code == .corruptData)
    }

    @Test func placeholdersHaveTheSizeAskedFor() throws {
        let color = SRGBColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        let flat = try ImagePlaceholder.color(color).pixels(size(3, 2))
        #expect(flat.size == size(3, 2) && flat.pixel(2, 1) == [255, 0, 0, 128])
        let hash = ImagePlaceholder.blurHash(try BlurHash(pattern(9, 9)))
        for (width, height) in [(0, 4), (4, -1), (Int.max, .max), (1 << 40, 1)] {
            #expect(throws: ImageError.self) { try hash.pixels(size(width, height)) }
            #expect(throws: ImageError.self) { try ImagePlaceholder.color(color).pixels(size(width, height)) }
        }
        for across in [0, 10, Int.min] {
            #expect(throws: ImageError.self) { try BlurHash(pattern(9, 9), across: across) }
        }
        #expect(try BlurHash(pattern(9, 9), across: 1, down: 1).text.utf8.count == 6)
    }

    @Test func aPaletteHasThePicturesColours() throws {
        let source = try picture(40, 40) { x, y in
            if y < 20 { return Exact(1, 0, 0, 1) }
            return x < 30 ? Exact(0, 0, 1, 1) : Exact(0, 1, 0, x < 35 ? 1 : 0)
        }
        let palette = try ColorPalette(source, count: 5)
        #expect(palette.entries.map(\.color.hex) == ["#ff0000", "#0000ff", "#00ff00"])
        #expect(palette.dominantColor?.hex == "#ff0000")
        #expect(
            zip(palette.entries.map(\.share), [800.0, 600, 100]).allSatisfy { abs($0 - $1 / 1500) < 1e-6 })
        #expect(abs(palette.averageColor.alpha - 1500.0 / 1600) < 1e-6)
        #expect(abs(palette.averageColor.red - 800.0 / 1500) < 1e-5)
        #expect(try ColorPalette(source, count: 2).entries.count == 2)
        let nothing = try picture(4, 4) { _, _ in .zero }
        #expect(try ColorPalette(nothing).entries.isEmpty && ColorPalette(nothing).dominantColor == nil)
        for count in [0, 257, .min] {
            #expect(throws: ImageError.self) { try ColorPalette(source, count: count) }
        }
    }

    @Test func everyFormatHasTheSamePaletteAndHashes() throws {
        let color = { (x: Int, y: Int) in Exact(Double(x) / 20, Double(y) / 15, 0.4, 1) }
        let first = try picture(20, 15, .opaque, color: color)
        for form in allForms {
            let other = try picture(20, 15, form, color: color)
            #expect(
                try ColorPalette(other).dominantColor?.hex == ColorPalette(first).dominantColor?.hex,
                "\(form)")
            if form.format.bitsPerChannel == 8 {
                #expect(
                    try ThumbHash(other) == ThumbHash(first) && BlurHash(other) == BlurHash(first), "\(form)")
            }
        }
    }
}
