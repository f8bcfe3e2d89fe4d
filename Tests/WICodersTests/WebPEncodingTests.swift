// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

/// What is written: pixels, metadata, and every setting.
@Suite struct WebPEncodingTests {
    private func encode(_ image: DecodedImage, _ change: (inout EncodeOptions) -> Void = { _ in }) throws
        -> WebPFile
    {
        var options = EncodeOptions()
        change(&options)
        return WebPFile(bytes: Array(try WebPCoder().encode(image, as: .webp, options, WorkContext())))
    }

    private func settings(_ change: (inout WebPEncoding) -> Void) -> WebPEncoding {
        var settings = WebPEncoding()
        change(&settings)
        return settings
    }

    /// A picture with alpha in its left half.
    private func picture() throws -> PixelBuffer {
        let photo = try ImageFactory.photoLike(120, 80).allBytes
        return try ImageFactory.picture(120, 80, alphaMode: .straight) { x, y, channel in
            channel == 3 ? UInt8(min(255, x * 4)) : photo[(y * 120 + x) * 4 + channel]
        }
    }

    @Test func theSamePictureAndSettingsGiveTheSameBytes() throws {
        let picture = try picture()
        for lossless in [false, true] {
            let once = try WebPFile.encoding(picture, lossless: lossless)
            #expect(try WebPFile.encoding(picture, lossless: lossless).bytes == once.bytes)
            let threaded = try WebPFile.encoding(picture, lossless: lossless) {
                $0[WebPEncoding.self].usesThreads = true
            }
            #expect(threaded.bytes == once.bytes)
        }
    }

    @Test func qualityTradesBytesForFidelity() throws {
        let photo = try ImageFactory.photoLike(200, 150)
        let files = try [10, 50, 85, 100].map { quality in
            try WebPFile.encoding(photo) { $0.quality = quality }
        }
        let sizes = files.map(\.bytes.count)
        let fidelities = try files.map { try $0.decoded().pixels.psnr(to: photo) }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
        #expect(fidelities == fidelities.sorted())
        let beyond = try WebPFile.encoding(photo) { $0.quality = 1000 }
        #expect(beyond.bytes == files[3].bytes)
    }

    @Test func losslessKeepsTransparentColoursUnlessToldOtherwise() throws {
        let noise = try ImageFactory.picture(40, 30, alphaMode: .straight) { x, y, channel in
            channel == 3 ? (x < 20 ? 0 : 255) : UInt8(truncatingIfNeeded: x * 31 ^ y * 57 ^ channel * 5)
        }
        #expect(try WebPFile.encoding(noise, lossless: true).decoded().pixels.allBytes == noise.allBytes)
        let cleaned = try WebPFile.encoding(noise, lossless: true) {
            $0[WebPEncoding.self].keepsTransparentColors = false
        }
        let bytes = try cleaned.decoded().pixels.allBytes
        #expect(bytes != noise.allBytes)
        for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] > 0 {
            #expect(bytes[pixel..<pixel + 4] == noise.allBytes[pixel..<pixel + 4])
        }
    }

    @Test func bgraSixteenBitsAndPremultipliedPixelsAreWrittenAsTheyLook() throws {
        let picture = try picture()
        let expected = try WebPFile.encoding(picture, lossless: true).bytes
        let swapped = try picture.converted(to: .bgra8, alphaMode: .straight)
        #expect(try WebPFile.encoding(swapped, lossless: true).bytes == expected)
        let wide = try picture.converted(to: .rgba16, alphaMode: .straight)
        #expect(try WebPFile.encoding(wide, lossless: true).bytes == expected)
        let premultiplied = try picture.converted(to: .rgba8, alphaMode: .premultiplied)
        let back = try premultiplied.converted(to: .rgba8, alphaMode: .straight)
        #expect(
            try WebPFile.encoding(premultiplied, lossless: true).decoded().pixels.allBytes == back.allBytes)
    }

    @Test func theProfileIsKeptAndEXIFAndXMPOnlyOnRequest() throws {
        let picture = try picture()
        var metadata = ImageMetadata(storedSize: picture.size)
        metadata.iccProfile = Data([UInt8](repeating: 1, count: 16) + Array("RGB ".utf8) + [2, 3, 4])
        metadata.exif = Data(JPEGFile.exif(6))
        metadata.xmp = Data("<x:xmpmeta/>".utf8)
        for lossless in [false, true] {
            let image = DecodedImage(pixels: picture, metadata: metadata)
            let pixels = lossless ? ["VP8L"] : ["ALPH", "VP8 "]
            let plain = try encode(image) { $0[WebPEncoding.self].isLossless = lossless }
            #expect(plain.chunkNames == ["VP8X", "ICCP"] + pixels)
            let all = try encode(image) {
                $0[WebPEncoding.self].isLossless = lossless
                ($0.keepsEXIF, $0.keepsXMP) = (true, true)
            }
            #expect(all.chunkNames == ["VP8X", "ICCP"] + pixels + ["EXIF", "XMP "])
            #expect(
                all.bytes[20] == WebPFile.iccFlag | WebPFile.exifFlag | WebPFile.xmpFlag | WebPFile.alphaFlag)
            let decoded = try all.decoded().metadata
            #expect(decoded.iccProfile == metadata.iccProfile && decoded.xmp == metadata.xmp)
            // The pixels are upright, and the block says so.
            #expect(decoded.exif == Data(JPEGFile.exif(1)) && decoded.warnings.isEmpty)
            let none = try encode(image) {
                $0[WebPEncoding.self].isLossless = lossless
                $0.keepsICCProfile = false
            }
            #expect(none.chunkNames == (lossless ? pixels : ["VP8X"] + pixels))
            #expect(try none.decoded().pixels.allBytes == all.decoded().pixels.allBytes)
        }
    }

    @Test func anOpaquePictureHasNoAlphaChunkWhateverItsAlphaBytesSay() throws {
        let picture = try picture().relabelled(.opaque)
        #expect(try WebPFile.encoding(picture).chunkNames == ["VP8 "])
        #expect(try !WebPFile.encoding(picture, lossless: true).info().hasAlpha)
    }

    @Test func aTargetSizeIsMet() throws {
        let photo = try ImageFactory.photoLike(300, 200)
        #expect(try WebPFile.encoding(photo) { $0.quality = 100 }.bytes.count > 8192)
        let file = try WebPFile.encoding(photo) { $0[WebPEncoding.self].targetBytes = 8192 }
        #expect(5000...8600 ~= file.bytes.count)
        let faithful = try WebPFile.encoding(photo) { $0[WebPEncoding.self].targetPSNR = 36 }
        let coarse = try WebPFile.encoding(photo) { $0[WebPEncoding.self].targetPSNR = 30 }
        #expect(faithful.bytes.count > coarse.bytes.count)
    }

    /// Settings that change the bytes of one picture or another.
    private static let changes: [@Sendable (inout WebPEncoding) -> Void] = [
        { $0.isLossless = true }, { $0.preset = .drawing }, { $0.effort = 0 }, { $0.targetPSNR = 33 },
        { $0.targetBytes = 3000 }, { $0.segments = 1 },
        { $0.noiseShaping = 0 },
        { $0.filterStrength = 0 }, { $0.filterSharpness = 7 }, { $0.filter = .simple },
        { $0.adjustsFilter = true },
        { $0.preprocessing = .dithering }, { ($0.effort, $0.partitions) = (1, 3) },
        { $0.compressesAlpha = false },
        { $0.alphaFilter = .none }, { $0.alphaQuality = 10 }, { $0.usesSharpYUV = true },
        { $0.emulatesJPEGSize = true }, { $0.keepsTransparentColors = true },
    ]

    @Test(arguments: changes.indices) func everySettingReachesTheEncoderAndTheKey(_ index: Int) throws {
        let changed = settings(Self.changes[index])
        let picture = try picture()
        let plain = try WebPFile.encoding(picture) { $0.quality = 70 }
        let file = try encode(DecodedImage(pixels: picture)) {
            $0.quality = 70
            $0[WebPEncoding.self] = changed
        }
        let isChanged = file.bytes != plain.bytes
        #expect(isChanged)
        #expect(try file.decoded().size == picture.size)
        #expect(changed.keyPart != nil)
        for other in Self.changes.indices where other != index {
            #expect(settings(Self.changes[other]).keyPart != changed.keyPart)
        }
    }

    @Test func settingsThatNeedOthersReachTheEncoderToo() throws {
        let picture = try picture()
        let pairs: [((inout WebPEncoding) -> Void, (inout WebPEncoding) -> Void)] = [
            ({ $0.isLossless = true }, { $0.nearLossless = 20 }),
            ({ $0.isLossless = true }, { $0.losslessEffort = 0 }),
            ({ $0.isLossless = true }, { $0.effort = 0 }), ({ $0.targetBytes = 3000 }, { $0.passes = 1 }),
            ({ $0.targetBytes = 3000 }, { $0.qualityRange = 90...95 }),
            ({ $0.effort = 1 }, { $0.partitions = 3 }),
        ]
        for (index, (first, second)) in pairs.enumerated() {
            let alone = try WebPFile.encoding(picture) { first(&$0[WebPEncoding.self]) }
            let both = try WebPFile.encoding(picture) {
                first(&$0[WebPEncoding.self])
                second(&$0[WebPEncoding.self])
            }
            let isChanged = alone.bytes != both.bytes
            #expect(isChanged, "pair \(index)")
        }
    }

    @Test func threadsAreNoPartOfTheKeyAndPlainSettingsHaveNone() {
        #expect(WebPEncoding().keyPart == nil && WebPDecoding().keyPart == nil)
        #expect(settings { $0.usesThreads = true }.keyPart == nil)
        var decoding = WebPDecoding()
        decoding.usesThreads = true
        #expect(decoding.keyPart == nil)
        decoding.strictness = .strict
        #expect(decoding.keyPart != nil)
    }

    @Test func valuesOutOfRangeAreTakenToTheNearestEnd() throws {
        let picture = try ImageFactory.photoLike(30, 20)
        let extreme = settings {
            ($0.effort, $0.partitions, $0.segments, $0.passes) = (99, -4, 900, 1)
            ($0.filterStrength, $0.filterSharpness, $0.noiseShaping) = (-1, Int.max, Int.min)
            ($0.targetPSNR, $0.alphaQuality, $0.partitionLimit) = (.nan, 1000, -7)
        }
        let ends = settings {
            ($0.effort, $0.partitions, $0.segments, $0.passes) = (6, 0, 4, 1)
            ($0.filterStrength, $0.filterSharpness, $0.noiseShaping) = (0, 7, 0)
        }
        let file = try encode(DecodedImage(pixels: picture)) { $0[WebPEncoding.self] = extreme }
        #expect(
            try encode(DecodedImage(pixels: picture)) { $0[WebPEncoding.self] = ends }.bytes == file.bytes)
    }

    @Test func sidesThatWebPDoesNotHaveAreRefusedBeforeEncoding() throws {
        let image = DecodedImage(pixels: try ImageFactory.solid(16_384, 1, 1, 2, 3))
        #expect {
            try encode(image)
        } throws: { ($0 as? ImageError)?.code == .dimensionLimit }
        let longest = try WebPFile.encoding(try ImageFactory.solid(16_383, 1, 1, 2, 3), lossless: true)
        #expect(try longest.info().storedSize == PixelSize(width: 16_383, height: 1))
    }

    @Test func anotherFormatIsRefusedAndACancelledEncodeEnds() throws {
        let image = DecodedImage(pixels: try ImageFactory.photoLike(200, 200))
        #expect {
            try WebPCoder().encode(image, as: .png, EncodeOptions(), WorkContext())
        } throws: { ($0 as? ImageError)?.code == .unsupportedFormat }
        let flag = CancellationFlag()
        flag.raise()
        #expect {
            try WebPCoder().encode(image, as: .webp, EncodeOptions(), WorkContext(flag: flag))
        } throws: { ($0 as? ImageError)?.code == .cancelled }
    }

    @Test(
        .enabled(if: Corpus.isPresent, "WEBIMAGE_CORPUS names no corpus"),
        arguments: Corpus.entries {
            $0.expect == .decode && $0.bomb != true && ["webp", "png"].contains($0.format)
                && ($0.width ?? 0) * ($0.height ?? 0) <= 60_000
                && max($0.width ?? 0, $0.height ?? 0) <= 16_383
        })
    func aPictureOfTheCorpusComesBackBitForBit(_ entry: CorpusEntry) throws {
        let data = try #require(Corpus.shared).data(at: entry.path)
        let image = try CodersManager([PNGCoder(), WebPCoder()]).decode(data, DecodeOptions(), WorkContext())
        let file = try encode(image) { $0[WebPEncoding.self].isLossless = true }
        let back = try file.decoded()
        #expect(back.pixels.allBytes == image.pixels.allBytes)
        #expect(back.metadata.iccProfile == image.metadata.iccProfile)
    }
}
