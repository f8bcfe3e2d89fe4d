// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

/// Sound files: their pixels, on every canvas and in every format asked for.
@Suite struct WebPDecodingTests {
    @Test func aLosslessPictureComesBackBitForBit() throws {
        for picture in [
            try ImageFactory.noise(37, 23, seed: 1), try ImageFactory.transparency(64, 40),
            try ImageFactory.textLike(90, 50), try ImageFactory.solid(1, 1, 7, 8, 9),
        ] {
            let image = try WebPFile.encoding(picture, lossless: true).decoded()
            #expect(image.pixels.allBytes == picture.allBytes)
            #expect(image.pixels.alphaMode == picture.alphaMode)
            #expect(image.format == .webp && image.metadata.warnings.isEmpty && !image.metadata.isPartial)
        }
    }

    @Test func aLossyPictureComesCloseAndKeepsItsAlphaExactly() throws {
        let photo = try ImageFactory.photoLike(150, 97)
        let opaque = try WebPFile.encoding(photo).decoded().pixels
        #expect(opaque.alphaMode == .opaque && opaque.isOpaque())
        #expect(opaque.psnr(to: photo) > 30)
        let ramp = try ImageFactory.transparency(80, 41)
        let file = try WebPFile.encoding(ramp)
        #expect(file.chunkNames == ["VP8X", "ALPH", "VP8 "])
        let clear = try file.decoded().pixels
        #expect(clear.alphaMode == .straight)
        let alphas = stride(from: 3, to: ramp.allBytes.count, by: 4)
        #expect(alphas.allSatisfy { clear.allBytes[$0] == ramp.allBytes[$0] })
    }

    @Test func bgraIsTheSamePictureInAnotherOrder() throws {
        for lossless in [false, true] {
            let file = try WebPFile.encoding(try ImageFactory.transparency(33, 21), lossless: lossless)
            let plain = try file.decoded().pixels
            let swapped = try file.decoded { $0.pixelFormat = .bgra8 }.pixels
            #expect(swapped.format == .bgra8)
            #expect(try swapped.converted(to: .rgba8, alphaMode: .straight).allBytes == plain.allBytes)
        }
    }

    @Test func premultipliedPixelsAreThoseMultipliedAfterwards() throws {
        for lossless in [false, true] {
            let file = try WebPFile.encoding(try ImageFactory.transparency(61, 33), lossless: lossless)
            let straight = try file.decoded().pixels
            for format in [PixelFormat.rgba8, .bgra8, .rgba16] {
                let direct = try file.decoded {
                    $0.pixelFormat = format
                    $0.premultiplies = true
                }.pixels
                #expect(direct.alphaMode == .premultiplied && direct.format == format)
                let expected = try straight.converted(to: format, alphaMode: .premultiplied)
                // libwebp drops what the kernels round.
                #expect(direct.difference(from: expected) <= (format == .rgba16 ? 0 : 1))
            }
        }
        let opaque = try WebPFile.encoding(try ImageFactory.gradient(9, 9)).decoded {
            $0.premultiplies = true
        }
        #expect(opaque.pixels.alphaMode == .opaque)
    }

    @Test func sixteenBitsAreTheEightTimes257() throws {
        let file = try WebPFile.encoding(try ImageFactory.noise(20, 10, seed: 3), lossless: true)
        let wide = try file.decoded { $0.pixelFormat = .rgba16 }.pixels
        let narrow = try file.decoded().pixels
        #expect(wide.format == .rgba16 && wide.alphaMode == .opaque)
        #expect(
            wide.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map { UInt8($0 >> 8) } } == narrow.allBytes)
        #expect(wide.allBytes.enumerated().allSatisfy { $0 % 2 == 0 || $1 == wide.allBytes[$0 - 1] })
    }

    @Test func aSecondThreadGivesTheSamePixels() throws {
        let file = try WebPFile.encoding(try ImageFactory.photoLike(700, 300))
        let alone = try file.decoded().pixels.allBytes
        #expect(try file.decoded { $0[WebPDecoding.self].usesThreads = true }.pixels.allBytes == alone)
    }

    @Test(arguments: Orientation.allCases) func theOrientationInTheEXIFChunkIsApplied(
        _ orientation: Orientation
    )
        throws
    {
        let picture = try ImageFactory.noise(12, 7, seed: 5)
        let block = JPEGFile.exif(orientation.rawValue)
        for prefix in ["", "Exif\0\0"] {
            let file = WebPFile.extended(
                picture.size, WebPFile.exifFlag, try WebPFile.encoding(picture, lossless: true).picture,
                WebPFile.chunk("EXIF", Array(prefix.utf8) + block))
            #expect(try file.info().orientation == orientation)
            let image = try file.decoded()
            #expect(image.pixels.allBytes == (try picture.oriented(orientation)).allBytes)
            #expect(image.metadata.orientation == .up && image.metadata.storedSize == picture.size)
            #expect(image.metadata.exif == Data(JPEGFile.exif(1)))
            let stored = try file.decoded { $0.appliesOrientation = false }
            #expect(stored.pixels.allBytes == picture.allBytes)
            #expect(stored.metadata.orientation == orientation && stored.metadata.exif == Data(block))
        }
    }

    @Test func theFirstFrameStandsAtItsPlaceOnATransparentCanvas() throws {
        let picture = try ImageFactory.noise(10, 6, seed: 2)
        let canvas = PixelSize(width: 17, height: 13)
        let frame = try WebPFile.encoding(picture, lossless: true)
        let file = WebPFile.animation(canvas, frame.frame(picture.size, x: 4, y: 6))
        for (format, premultiplies) in [(PixelFormat.rgba8, false), (.rgba8, true)] {
            let pixels = try file.decoded {
                $0.pixelFormat = format
                $0.premultiplies = premultiplies
            }.pixels
            #expect(pixels.size == canvas && pixels.alphaMode == (premultiplies ? .premultiplied : .straight))
            let (bytes, source) = (pixels.allBytes, picture.allBytes)
            var expected = [UInt8](repeating: 0, count: bytes.count)
            for y in 0..<picture.height {
                let (from, into) = (y * 40, ((y + 6) * canvas.width + 4) * 4)
                expected.replaceSubrange(into..<into + 40, with: source[from..<from + 40])
            }
            #expect(bytes == expected)
        }
    }

    @Test func aFrameAsLargeAsItsCanvasIsDecodedAsAStill() throws {
        let picture = try ImageFactory.noise(10, 6, seed: 2)
        let file = WebPFile.animation(
            picture.size, try WebPFile.encoding(picture, lossless: true).frame(picture.size))
        let pixels = try file.decoded().pixels
        #expect(pixels.allBytes == picture.allBytes && pixels.alphaMode == .opaque)
    }

    @Test func losslessPixelsMayBeTransparentThoughTheirHeaderSaysOtherwise() throws {
        var file = try WebPFile.encoding(try ImageFactory.transparency(20, 10), lossless: true)
        // The alpha hint lies in the fifth byte of the VP8L chunk's data.
        file.bytes[24] &= 0b1110_1111
        #expect(try !file.info().hasAlpha)
        let pixels = try file.decoded().pixels
        #expect(pixels.alphaMode == .straight && !pixels.isOpaque())
    }

    @Test func bytesBehindTheFileAndALengthThatIsTooLongDoNoHarm() throws {
        var file = try WebPFile.encoding(try ImageFactory.noise(9, 9, seed: 6), lossless: true)
        let expected = try file.decoded().pixels.allBytes
        #expect(
            try WebPFile(bytes: file.bytes + [1, 2, 3, 4, 5, 6, 7, 8, 9]).decoded().pixels.allBytes
                == expected)
        file.bytes[6] = 9
        let image = try file.decoded { $0[WebPDecoding.self].strictness = .strict }
        #expect(image.pixels.allBytes == expected && !image.metadata.isPartial)
        #expect(image.metadata.warnings.count == 1)
    }

    @Test func aCancelledDecodeEndsWithinItsData() throws {
        let file = try WebPFile.encoding(try ImageFactory.noise(400, 400, seed: 1), lossless: true)
        let flag = CancellationFlag()
        flag.raise()
        #expect {
            try WebPCoder().decode(file.data, DecodeOptions(), WorkContext(flag: flag))
        } throws: { ($0 as? ImageError)?.code == .cancelled }
    }
}
