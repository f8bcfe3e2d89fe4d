// SPDX-License-Identifier: MIT
import CustomCoder
import FoundationEssentials
import Testing
import WICoders
import WICore
import WITestKit

@Suite(.timeLimit(.minutes(5))) struct QOICoderTests {
    private let coder = QOICoder()

    /// A head of 14 bytes, and what follows it.
    private func file(
        _ width: UInt8, _ height: UInt8, channels: UInt8 = 4, _ chunks: [UInt8], ends: Bool = true
    ) -> Data {
        var file = Data("qoif".utf8)
        file += [0, 0, 0, width, 0, 0, 0, height, channels, 0]
        file += chunks
        if ends { file += [0, 0, 0, 0, 0, 0, 0, 1] }
        return file
    }

    private func decode(_ data: Data) throws -> DecodedImage {
        try coder.decode(data, DecodeOptions(), WorkContext())
    }

    private func samples(_ image: DecodedImage) -> [UInt8] {
        image.pixels.withBytes { bytes in
            (0..<bytes.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
    }

    @Test func everyRuleForCodersIsKept() {
        #expect(CoderConformance(coder, isLossless: true).violations() == [])
    }

    /// The format's own words: RGB, RGBA, DIFF, LUMA, RUN, INDEX.
    @Test func everyChunkIsRead() throws {
        let chunks: [UInt8] = [
            0xFE, 10, 20, 30,  // RGB
            0xFF, 1, 2, 3, 100,  // RGBA
            0b0111_0110,  // DIFF +1, -1, 0
            0b1010_0101, 0b1010_0110,  // LUMA green +5, red +5 +2, blue +5 -2
            0b1100_0001,  // RUN of 2
            0b0000_1001,  // INDEX of the first: (10 * 3 + 20 * 5 + 30 * 7 + 255 * 11) % 64
            0b0110_1001,  // DIFF 0, 0, -1
        ]
        let image = try decode(file(4, 2, chunks))
        let expected: [UInt8] = [
            10, 20, 30, 255, 1, 2, 3, 100, 2, 1, 3, 100, 9, 6, 6, 100, 9, 6, 6, 100, 9, 6, 6, 100, 10, 20, 30,
            255,
            10, 20, 29, 255,
        ]
        #expect(samples(image) == expected)
        #expect(!image.metadata.isPartial)
    }

    @Test func theSamePictureIsWrittenInTheShortestWords() throws {
        // A run from the start, and no pixel twice in full.
        let black = DecodedImage(pixels: try ImageFactory.solid(70, 1, 0, 0, 0))
        let data = try coder.encode(black, as: .qoi, EncodeOptions(), WorkContext())
        #expect(Array(data.dropFirst(14)) == [0xC0 | 61, 0xC0 | 7, 0, 0, 0, 0, 0, 0, 0, 1])
    }

    @Test func whatIsMissingOfACutFileIsTransparentAndSaid() throws {
        let image = try decode(file(3, 1, channels: 3, [0xFE, 1, 2, 3], ends: false))
        #expect(samples(image) == [1, 2, 3, 255, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(image.metadata.isPartial)
        #expect(image.metadata.warnings == ["The QOI file ends 2 pixels too soon."])
    }

    @Test func alphaOfAFileWithoutAlphaIsNotTaken() throws {
        let image = try decode(file(1, 1, channels: 3, [0xFF, 1, 2, 3, 9]))
        #expect(samples(image) == [1, 2, 3, 255])
    }

    @Test(arguments: [
        ([0, 1, 4], ImageError.Code.corruptData), ([1, 0, 4], .corruptData), ([1, 1, 5], .corruptData),
    ])
    func aHeadThatCannotBeIsRefused(_ head: [UInt8], _ code: ImageError.Code) {
        let error = #expect(throws: ImageError.self) {
            try decode(file(head[0], head[1], channels: head[2], [0xFE, 1, 2, 3]))
        }
        #expect(error?.code == code)
    }

    @Test func registeredItServesAManager() async throws {
        let picture = DecodedImage(pixels: try ImageFactory.transparency(30, 20))
        let data = try coder.encode(picture, as: .qoi, EncodeOptions(), WorkContext())
        let coders = CodersManager([PNGCoder()])
        coders.register(coder)
        let manager = ImageManager(cache: DictionaryCache(), loader: DataLoader(), coder: coders)
        let request = ImageRequest("data:image/qoi;base64,\(data.base64EncodedString())")
        let result = try await manager.image(for: request)
        #expect(result.image.format == .qoi)
        #expect(samples(result.image) == samples(picture))
        await manager.shutdown()
    }
}
