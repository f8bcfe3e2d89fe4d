// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIGIF
import WIPixels
import WITestKit

/// Frames as a player shows them: whole canvases.
struct GIFAnimationTests {
    private func source(
        _ file: Data, _ change: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> any FrameSource {
        var options = DecodeOptions()
        change(&options)
        return try #require(try GIFCoder().frameSource(file, options))
    }

    private func bytes(_ pixels: PixelBuffer) -> [UInt8] { pixels.withUnsafeBytes { Array($0) } }

    private func frames(_ source: any FrameSource) throws -> [PixelBuffer] {
        let reader = try source.makeReader()
        return try source.frames.indices.map { try reader.frame(at: $0, WorkContext()) }
    }

    /// A 4 × 1 canvas: whole, then one pixel with each disposal.
    private var disposals: GIFMaker {
        var maker = GIFMaker(4, 1)
        maker.loop(2)
        maker.control(disposal: 1, delay: 3)
        maker.frame(0, 0, 4, 1, [0, 1, 2, 3])
        maker.control(disposal: 3, delay: 4)
        maker.frame(1, 0, 2, 1, [3, 3])
        maker.control(disposal: 2, transparent: 0, delay: 5)
        maker.frame(0, 0, 2, 1, [0, 2])
        maker.control(disposal: 7)
        maker.frame(3, 0, 9, 9, [UInt8](repeating: 1, count: 81))
        return maker
    }

    @Test func `each disposal leaves the next frame the canvas that it should`() throws {
        let source = try source(disposals.file)
        #expect(source.frames.map(\.durationMilliseconds) == [30, 40, 50, 0])
        #expect(source.loopCount == 2 && source.canvasSize == PixelSize(width: 4, height: 1))
        let expected: [[UInt8?]] = [[0, 1, 2, 3], [0, 3, 3, 3], [0, 2, 2, 3], [nil, nil, 2, 1]]
        #expect(try frames(source).map(bytes) == expected.map(GIFKindsTests.pixels))
    }

    @Test func `an animation is handed over with its first frame, a still without frames`() throws {
        let image = try GIFKindsTests.decode(disposals.file)
        #expect(image.frameCount == 4 && image.loopCount == 2)
        #expect(bytes(image.pixels) == GIFKindsTests.pixels([0, 1, 2, 3]))
        #expect(image.memoryCost > image.pixels.byteCount + ByteCount(disposals.file.count))
        #expect(try GIFKindsTests.decode(disposals.file) { $0.firstFrameOnly = true }.frames == nil)
        var still = GIFMaker(1, 1)
        still.frame(0, 0, 1, 1, [1])
        #expect(try GIFCoder().frameSource(still.file, DecodeOptions()) == nil)
        #expect(
            try CodersManager([GIFCoder()]).frameSource(disposals.file, DecodeOptions())?.frames.count == 4)
    }

    @Test func `frames in any order, by several readers, are those in order`() throws {
        var generator = SeededGenerator(seed: 6)
        for round in 0..<20 {
            let file = Self.random(&generator, frames: 12, covering: round % 2 == 0)
            let source = try source(file)
            let inOrder = try frames(source).map(bytes)
            let readers = [try source.makeReader(), try source.makeReader()]
            for _ in 0..<40 {
                let index = Int(generator.next() % 12)
                let reader = readers[Int(generator.next() % 2)]
                #expect(bytes(try reader.frame(at: index, WorkContext())) == inOrder[index])
            }
            #expect(throws: ImageError.self) { try readers[0].frame(at: 12, WorkContext()) }
            #expect(throws: ImageError.self) { try readers[0].frame(at: -1, WorkContext()) }
        }
    }

    static func random(_ generator: inout SeededGenerator, frames: Int, covering: Bool) -> Data {
        var maker = GIFMaker(9, 7)
        for _ in 0..<frames {
            let isWhole = covering && generator.next() % 3 == 0
            let (left, top) = isWhole ? (0, 0) : (Int(generator.next() % 10), Int(generator.next() % 8))
            let (width, height) =
                isWhole ? (9, 7) : (1 + Int(generator.next() % 9), 1 + Int(generator.next() % 7))
            maker.control(
                disposal: Int(generator.next() % 5), transparent: generator.next() % 2 == 0 ? 2 : nil,
                delay: 1)
            let indices = (0..<width * height).map { _ in UInt8(generator.next() % 4) }
            maker.frame(left, top, width, height, indices, interlaced: generator.next() % 4 == 0)
        }
        return maker.file
    }

    @Test func `frames made smaller, swapped or widened are the composited ones, made so`() throws {
        var generator = SeededGenerator(seed: 8)
        let file = Self.random(&generator, frames: 6, covering: true)
        let whole = try frames(try source(file))
        let small = try source(file) { $0.thumbnailSize = PixelSize(width: 4, height: 4) }
        #expect(small.canvasSize == PixelSize(width: 4, height: 3))
        for (frame, expected) in zip(try frames(small), whole) {
            let resized = try expected.resized(to: small.canvasSize, filter: .lanczos3, WorkContext())
            #expect(bytes(frame) == bytes(resized))
        }
        for format in [PixelFormat.bgra8, .rgba16] {
            let others = try frames(try source(file) { $0.pixelFormat = format })
            for (frame, expected) in zip(others, whole) {
                #expect(frame.format == format)
                #expect(bytes(try frame.converted(to: .rgba8, alphaMode: frame.alphaMode)) == bytes(expected))
            }
        }
        let blended = try frames(try source(file) { $0.premultiplies = true })
        #expect(blended.map(bytes) == whole.map(bytes))
        #expect(
            blended.contains { $0.alphaMode == .premultiplied }
                && !blended.contains { $0.alphaMode == .straight })
    }

    @Test func `missing pixels of a frame leave what was there, or are refused`() throws {
        var maker = GIFMaker(3, 1)
        maker.frame(0, 0, 3, 1, [1, 1, 1])
        maker.frame(0, 0, 3, 1, [2])
        let found = try frames(try source(maker.file))
        #expect(bytes(found[1]) == GIFKindsTests.pixels([2, 1, 1]))
        let alone = try source(maker.file).makeReader().frame(at: 1, WorkContext())
        #expect(bytes(alone) == bytes(found[1]))
        let strict = try source(maker.file) { $0[GIFDecoding.self].strictness = .strict }
        let reader = try strict.makeReader()
        #expect(throws: ImageError.self) { try reader.frame(at: 1, WorkContext()) }
        #expect(bytes(try reader.frame(at: 0, WorkContext())) == GIFKindsTests.pixels([1, 1, 1]))
    }

    @Test func `an animation of opaque frames that all stay is opaque, unless pixels are missing`() throws {
        for missing in [0, 1] {
            var maker = GIFMaker(2, 1)
            maker.frame(0, 0, 2, 1, [UInt8](repeating: 1, count: 2 - missing))
            maker.frame(0, 0, 1, 1, [2])
            let modes = try frames(try source(maker.file)).map(\.alphaMode)
            #expect(modes == (missing == 0 ? [.opaque, .opaque] : [.straight, .straight]))
        }
    }

    @Test func `limits on frames and on all their pixels hold before anything is painted`() throws {
        let file = disposals.file
        var error = #expect(throws: ImageError.self) { try source(file) { $0.limits.frames = 3 } }
        #expect(error?.code == .frameLimit)
        error = #expect(throws: ImageError.self) { try source(file) { $0.limits.compositedPixels = 88 } }
        #expect(error?.code == .frameLimit && error?.message.contains("88") == true)
        _ = try source(file) { $0.limits.compositedPixels = 89 }
        error = #expect(throws: ImageError.self) { try source(file) { $0.limits.pixels = 80 } }
        #expect(error?.code == .dimensionLimit)
    }

    @Test func `a reader that was cancelled goes on as if nothing had been`() throws {
        let source = try source(disposals.file)
        let expected = try frames(source).map(bytes)
        let reader = try source.makeReader()
        let flag = CancellationFlag()
        flag.raise()
        _ = try reader.frame(at: 1, WorkContext())
        let error = #expect(throws: ImageError.self) { try reader.frame(at: 2, WorkContext(flag: flag)) }
        #expect(error?.code == .cancelled)
        #expect(bytes(try reader.frame(at: 3, WorkContext())) == expected[3])
    }

    @Test(.enabled("WEBIMAGE_CORPUS names no corpus", { Corpus.isPresent }))
    func `every frame of the corpus has exactly the pixels that are claimed`() throws {
        var compared = 0
        for entry in Corpus.entries(where: { $0.format == "gif" && $0.expect == .decode && $0.bomb != true })
        {
            let claimed = GIFCorpusTests.claimed(entry)
            guard entry.frameCount ?? 1 > 1, !claimed.isEmpty else { continue }
            let data = try #require(Corpus.shared).data(at: entry.path)
            let found = try frames(try source(data)).map { $0.withUnsafeBytes { SHA256.hex($0) } }
            compared += found.count
            #expect(found.count == entry.frameCount, "\(entry)")
            let isRight = claimed.contains { digests in
                digests.count <= found.count && zip(digests, found).allSatisfy { $0.isEmpty || $0 == $1 }
            }
            #expect(isRight, "\(entry)")
        }
        #expect(compared > 250)
    }

    @Test func `damaged animations never crash`() throws {
        var generator = SeededGenerator(seed: 12)
        for round in 0..<300 {
            var file = Self.random(&generator, frames: 5, covering: round % 2 == 0)
            for _ in 0..<1 + Int(generator.next() % 6) {
                file[13 + Int(generator.next() % UInt64(file.count - 13))] = UInt8(
                    truncatingIfNeeded: generator.next())
            }
            var options = DecodeOptions()
            options.limits.pixels = 100_000
            guard let source = try? GIFCoder().frameSource(file, options) else { continue }
            for pixels in try frames(source) { #expect(pixels.size == source.canvasSize) }
        }
    }
}
