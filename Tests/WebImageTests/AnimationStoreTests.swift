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
        let image = DecodedImage(pixels: pictures[0], frames: try FrameList(pictures.map { ($0, 50) }))
        let gif = try GIFCoder().encode(image, as: .gif, EncodeOptions(), WorkContext())
        #expect(try await storedFormats(of: gif, storeFormat: .jpeg) == [.gif: 2])
        #expect(try await storedFormats(of: gif, storeFormat: .webp) == [.gif: 1, .webp: 1])
        let png = try PNGCoder().encode(image, as: .png, EncodeOptions(), WorkContext())
        #expect(try await storedFormats(of: png) == [.png: 2])
    }

    @Test func `an animation whose format nothing writes with all frames is kept as WebP`() async throws {
        let frames = try FrameList([
            (try ImageFactory.gradient(16, 16), 50), (try ImageFactory.checker(16, 16, cell: 4), 50),
        ])
        let (cache, loader) = (DictionaryCache(), GatedLoader())
        let odd = ImageFormat(name: "odd", mimeType: "image/x-odd", fileExtensions: ["odd"])
        loader.answer(
            "http://host/a.odd",
            .image(
                DecodedImage(pixels: try ImageFactory.gradient(16, 16), format: odd, frames: frames)))
        let manager = ImageManager(cache: cache, loader: loader, coder: CodersManager.standard())
        _ = try await manager.image(for: ImageRequest("http://host/a.odd"))
        await manager.shutdown()
        let key = try #require(cache.storedKeys.first)
        let entry = try #require(try await cache.entry(for: key, in: .disk))
        let kept = try CodersManager.standard().decode(entry.data, DecodeOptions(), WorkContext())
        #expect(kept.format == .webp)
        #expect(kept.frames?.frames.count == 2)
    }
}
