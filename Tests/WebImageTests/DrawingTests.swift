// SPDX-License-Identifier: MIT
internal import Testing
internal import WICore
internal import WITestKit

struct DrawingTests {
    private func pixel(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> [UInt8] {
        buffer.withUnsafeBytes {
            Array($0[y * buffer.bytesPerRow + x * 4..<y * buffer.bytesPerRow + x * 4 + 4])
        }
    }

    private func bytes(_ buffer: PixelBuffer) -> [UInt8] { buffer.withUnsafeBytes { Array($0) } }

    @Test func aBoxCoversItsPixelsAndNoOther() throws {
        var canvas = try Canvas(width: 8, height: 8, .white)
        canvas.draw(.box(Box(2, 3, 4, 2)), Ink(0xff0000))
        let picture = canvas.publish(isOpaque: true)
        #expect(pixel(picture, 2, 3) == [255, 0, 0, 255])
        #expect(pixel(picture, 5, 4) == [255, 0, 0, 255])
        #expect(pixel(picture, 1, 3) == [255, 255, 255, 255])
        #expect(pixel(picture, 2, 5) == [255, 255, 255, 255])
        #expect(picture.alphaMode == .opaque)
    }

    @Test func anEdgeInTheMiddleOfAPixelCoversHalfOfIt() throws {
        var canvas = try Canvas(width: 4, height: 4, .black)
        canvas.draw(.box(Box(-10, -10, 12.5, 30)), .white)
        let picture = canvas.publish(isOpaque: true)
        #expect(pixel(picture, 1, 1)[0] == 255)
        #expect((127...128).contains(pixel(picture, 2, 1)[0]))
        #expect(pixel(picture, 3, 1)[0] == 0)
    }

    @Test func halfTransparentInkOnNothingKeepsItsColour() throws {
        var canvas = try Canvas(width: 2, height: 2)
        canvas.draw(.box(Box(0, 0, 2, 2)), Ink(0x3264c8, alpha: 0.5))
        #expect(pixel(canvas.publish(isOpaque: false), 0, 0) == [0x32, 0x64, 0xc8, 128])
    }

    @Test func aPictureDrawnPartlyOutsideIsCut() throws {
        let red = try ImageFactory.solid(4, 4, 255, 0, 0)
        var canvas = try Canvas(width: 4, height: 4, .white)
        canvas.draw(red, x: -2, y: 3)
        canvas.draw(red, x: 40, y: 40)
        let picture = canvas.publish(isOpaque: true)
        #expect(pixel(picture, 1, 3) == [255, 0, 0, 255])
        #expect(pixel(picture, 2, 3) == [255, 255, 255, 255])
        #expect(pixel(picture, 1, 2) == [255, 255, 255, 255])
    }

    @Test func roundCornersLeaveTheCornerFree() throws {
        var canvas = try Canvas(width: 20, height: 20, .white)
        canvas.draw(try ImageFactory.solid(20, 20, 0, 0, 0), x: 0, y: 0, radius: 8)
        let picture = canvas.publish(isOpaque: true)
        #expect(pixel(picture, 0, 0) == [255, 255, 255, 255])
        #expect(pixel(picture, 10, 0) == [0, 0, 0, 255])
    }

    @Test func textStaysWithinItsWidthAndIsCutWhereItDoesNotFit() throws {
        let style = StrokeFont.Style(14, .black)
        let width = StrokeFont.width("Hamburg 0123", style)
        #expect(width > 0)
        #expect(StrokeFont.fitting("Hamburg 0123", style, width: width) == "Hamburg 0123")
        let short = StrokeFont.fitting("Hamburg 0123", style, width: width - 5)
        #expect(short.hasSuffix(".."))
        #expect(StrokeFont.width(short, style) <= width - 5)
    }

    @Test func textLeavesInkOnTheCanvas() throws {
        var canvas = try Canvas(width: 60, height: 20, .white)
        canvas.draw("il", x: 4, y: 3, StrokeFont.Style(14, weight: 2, .black))
        let picture = canvas.publish(isOpaque: true)
        #expect(pixel(picture, 4, 12)[0] < 40)
        #expect(pixel(picture, 50, 12)[0] == 255)
    }

    @Test func everyGlyphStaysBetweenTheTopAndTheDescenders() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:;-+=/()<>!?%"
        for letter in letters {
            #expect(StrokeFont.width(String(letter), StrokeFont.Style(7, .black)) <= 7, "\(letter)")
        }
    }

    @Test func seededPicturesAreTheSameInEveryRunAndDifferBySeed() throws {
        let first = bytes(try ImageFactory.noise(9, 7, seed: 3))
        #expect(first == bytes(try ImageFactory.noise(9, 7, seed: 3)))
        #expect(first != bytes(try ImageFactory.noise(9, 7, seed: 4)))
        #expect(bytes(try ImageFactory.photoLike(20, 10)) == bytes(try ImageFactory.photoLike(20, 10)))
    }

    @Test func opaquePicturesAreOpaqueAndTheTransparentOneIsNot() throws {
        let opaque = [
            try ImageFactory.gradient(16, 9), try ImageFactory.checker(16, 9),
            try ImageFactory.noise(16, 9, seed: 1),
            try ImageFactory.textLike(64, 40), try ImageFactory.photoLike(16, 9),
        ]
        for picture in opaque {
            #expect(picture.alphaMode == .opaque)
            #expect(
                stride(from: 3, to: picture.byteCount.bytes, by: 4).allSatisfy { bytes(picture)[$0] == 255 })
        }
        let clear = try ImageFactory.transparency(16, 9)
        #expect(clear.alphaMode == .straight)
        #expect(pixel(clear, 0, 4)[3] == 0)
        #expect(pixel(clear, 15, 4)[3] == 255)
    }

    @Test func theGradientRunsBetweenItsCorners() throws {
        let picture = try ImageFactory.gradient(5, 3)
        #expect(pixel(picture, 0, 0) == [0, 0, 255, 255])
        #expect(pixel(picture, 4, 2) == [255, 255, 0, 255])
        #expect(pixel(try ImageFactory.gradient(1, 1), 0, 0) == [0, 0, 255, 255])
    }
}
