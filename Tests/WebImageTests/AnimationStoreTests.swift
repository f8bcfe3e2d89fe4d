// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

/// What the disk cache keeps of an animation that was made smaller.
struct AnimationStoreTests {
    private func storedFormats(
        of file: Data, storeFormat: ImageFormat? = nil
    ) async throws -> [ImageFormat: Int] {
        let (cache, loader) = (DictionaryCache(), GatedLoader())
        loader.answer("http://host/a.gif", .bytes(file))
        let manager = ImageManager(cache: cache, loader: loader, coder: CodersManager.standard())
        let context = ImageContext { context in
            context[.thumbnailSize] = PixelSize(width: 8, height: 8)
            if let storeFormat { context[.storeFormat] = storeFormat }
        }
        let request = ImageRequest("http://host/a.gif", context: context)
        #expect(try await manager.image(for: request).image.size == PixelSize(width: 8, height: 8))
        await manager.shutdown()
        var formats: [ImageFormat: Int] = [:]
        for key in cache.storedKeys {
            let entry = try #require(try await cache.entry(for: key, in: .disk))
            let format = ImageFormat.detect(entry.data.bytes)
            formats[try #require(format), default: 0] += 1
        }
        return formats
    }

    @Test func `a still keeps its colours in another format, an animation its frames in its own`()
        async throws
    {
        let first = try ImageFactory.gradient(16, 16)
        let second = try ImageFactory.checker(16, 16, cell: 4)
        let still = Data(try ImageFactory.encoded(first, .gif, by: GIFCoder()))
        #expect(try await storedFormats(of: still) == [.gif: 1, .jpeg: 1])
        let frames = try FrameList([(first, 50), (second, 50)])
        let animation = try GIFCoder().encode(
            DecodedImage(pixels: first, frames: frames), as: .gif, EncodeOptions(), WorkContext())
        #expect(try await storedFormats(of: animation) == [.gif: 2])
    }

    @Test func `an animation is never stored without its frames, whatever format it has or is wished`()
        async throws
    {
        let pictures = [try ImageFactory.gradient(16, 16), try ImageFactory.checker(16, 16, cell: 4)]
        let frames = try FrameList(pictures.map { ($0, 50) })
        let gif = try GIFCoder().encode(
            DecodedImage(pixels: pictures[0], frames: frames), as: .gif, EncodeOptions(), WorkContext())
        #expect(try await storedFormats(of: gif, storeFormat: .png) == [.gif: 2])
        #expect(try await storedFormats(of: gif, storeFormat: .webp) == [.gif: 1, .webp: 1])
        // Animated PNG files are read, not written.
        #expect(try await storedFormats(of: try animatedPNG(pictures)) == [.png: 1, .webp: 1])
    }

    /// An animation of these pictures, made of the chunks of stills.
    private func animatedPNG(_ pictures: [PixelBuffer]) throws -> Data {
        var file = Data()
        var sequence = 0
        for (index, picture) in pictures.enumerated() {
            let still = Data(try ImageFactory.encoded(picture, .png, by: PNGCoder()))
            let name = try #require(still.firstRange(of: Data("IDAT".utf8)))
            let picture = still[name.upperBound..<still.count - 16]
            if index == 0 { file += still[..<33] + chunk("acTL", number(pictures.count) + number(0)) }
            let control =
                number(sequence) + still[16..<24] + number(0) + number(0) + Data([0, 1, 0, 20, 0, 0])
            file += chunk("fcTL", control)
            file += chunk(
                index == 0 ? "IDAT" : "fdAT", (index == 0 ? Data() : number(sequence + 1)) + picture)
            sequence += index == 0 ? 1 : 2
        }
        return file + chunk("IEND", Data())
    }

    private func number(_ value: Int) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
    }

    private func chunk(_ name: String, _ data: Data) -> Data {
        let body = Data(name.utf8) + data
        let checksum = ~body.reduce(UInt32.max) { value, byte in
            (0..<8).reduce(value ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1
            }
        }
        return number(data.count) + body + number(Int(checksum))
    }
}
