// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

/// Frames on their canvas, in any order.
@Suite struct WebPAnimationTests {
    private static let canvas = PixelSize(width: 12, height: 10)
    private static let (replaces, disposes) = (UInt8(2), UInt8(1))

    /// A frame of one colour, without loss.
    private func frame(
        _ color: [UInt8], _ width: Int, _ height: Int, x: Int = 0, y: Int = 0, milliseconds: Int = 50,
        flags: UInt8 = 0
    ) throws -> [UInt8] {
        let picture = try ImageFactory.picture(width, height, alphaMode: .straight) { _, _, channel in
            color[channel]
        }
        return try WebPFile.encoding(picture, lossless: true).frame(
            picture.size, x: x, y: y, milliseconds: milliseconds, flags: flags)
    }

    private func source(
        _ file: WebPFile, _ change: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> any FrameSource {
        var options = DecodeOptions()
        change(&options)
        return try #require(try WebPCoder().frameSource(file.data, options))
    }

    private func frames(_ file: WebPFile, _ change: (inout DecodeOptions) -> Void = { _ in }) throws
        -> [PixelBuffer]
    {
        let source = try source(file, change)
        let reader = try source.makeReader()
        return try source.frames.indices.map { try reader.frame(at: $0, WorkContext()) }
    }

    private func pixel(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> [UInt8] {
        Array(pixels.allBytes[(y * pixels.width + x) * 4..<(y * pixels.width + x + 1) * 4])
    }

    /// Red; half-transparent green at 2, 2; blue that replaces at 4, 4, then goes; nothing but a point.
    private func sample() throws -> WebPFile {
        WebPFile.animation(
            Self.canvas, loops: 3, try frame([255, 0, 0, 255], 12, 10),
            try frame([0, 255, 0, 128], 6, 6, x: 2, y: 2, milliseconds: 20),
            try frame(
                [0, 0, 255, 100], 6, 6, x: 4, y: 4, milliseconds: 0, flags: Self.replaces | Self.disposes),
            try frame([9, 9, 9, 255], 1, 1))
    }

    @Test func framesAreBlendedReplacedAndDisposedOf() throws {
        let file = try sample()
        let source = try source(file)
        #expect(source.frames.map(\.durationMilliseconds) == [50, 20, 0, 50])
        #expect(source.loopCount == 3 && source.canvasSize == Self.canvas)
        let frames = try frames(file)
        #expect(pixel(frames[0], 11, 9) == [255, 0, 0, 255])
        let mixed = pixel(frames[1], 2, 2)
        #expect(abs(Int(mixed[0]) - 127) <= 1 && abs(Int(mixed[1]) - 128) <= 1 && mixed[2...] == [0, 255])
        #expect(pixel(frames[1], 8, 8) == [255, 0, 0, 255])
        #expect(pixel(frames[2], 4, 4) == [0, 0, 255, 100] && pixel(frames[2], 2, 2) == mixed)
        #expect(pixel(frames[3], 4, 4) == [0, 0, 0, 0] && pixel(frames[3], 2, 2) == mixed)
        #expect(pixel(frames[3], 0, 0) == [9, 9, 9, 255])
    }

    @Test func decodeGivesTheFirstFrameAndTheOthersBesideIt() throws {
        let file = try sample()
        let image = try file.decoded()
        #expect(image.frameCount == 4 && image.loopCount == 3)
        #expect(image.pixels.allBytes == (try frames(file))[0].allBytes)
        #expect(try file.decoded { $0.firstFrameOnly = true }.frames == nil)
        let still = WebPFile.animation(Self.canvas, try frame([1, 2, 3, 255], 12, 10))
        #expect(try still.decoded().frames == nil)
        #expect(try WebPCoder().frameSource(still.data, DecodeOptions()) == nil)
    }

    @Test func framesComeTheSameInAnyOrderAndFromSeveralReaders() throws {
        let file = try sample()
        let expected = try frames(file).map(\.allBytes)
        let source = try source(file)
        let readers = [try source.makeReader(), try source.makeReader()]
        for (step, index) in [3, 0, 2, 2, 1, 3, 1, 0].enumerated() {
            #expect(try readers[step % 2].frame(at: index, WorkContext()).allBytes == expected[index])
        }
        #expect(throws: ImageError.self) { try readers[0].frame(at: 4, WorkContext()) }
        #expect(throws: ImageError.self) { try readers[0].frame(at: -1, WorkContext()) }
    }

    @Test func framesAreMadeSmallerTurnedAndConvertedAsAsked() throws {
        let picture = try ImageFactory.photoLike(120, 80)
        let one = try WebPFile.encoding(picture).frame(picture.size)
        let control = WebPFile.chunk("ANIM", [UInt8](repeating: 0, count: 6))
        let file = WebPFile.extended(
            picture.size, WebPFile.animationFlag | WebPFile.exifFlag, control, one + one,
            WebPFile.chunk("EXIF", JPEGFile.exif(6)))
        let change: (inout DecodeOptions) -> Void = {
            $0.thumbnailSize = PixelSize(width: 40, height: 30)
            $0.pixelFormat = .bgra8
        }
        let (source, frames) = (try source(file, change), try frames(file, change))
        #expect(source.canvasSize == PixelSize(width: 20, height: 30))
        let expected = try file.decoded { $0.pixelFormat = .bgra8 }.pixels.resized(
            to: source.canvasSize, filter: .lanczos3, WorkContext())
        for frame in frames {
            #expect(frame.format == .bgra8 && frame.alphaMode == .opaque)
            #expect(frame.difference(from: expected) <= 2)
        }
        #expect(try self.frames(file) { $0.appliesOrientation = false }[1].size == picture.size)
    }

    @Test func allFramesTogetherStayUnderAScaleDownLimit() throws {
        let file = try sample()
        let limit = ByteCount(4 * 12 * 10)
        let image = try file.decoded { $0.scaleDownLimit = limit }
        #expect(image.size == PixelSize(width: 6, height: 5))
        #expect(try frames(file) { $0.scaleDownLimit = limit }[3].size == image.size)
    }

    @Test func theWholeFramesOfACutFileAreGiven() throws {
        let file = try sample()
        let whole = try frames(file)
        for count in stride(from: 200, to: file.bytes.count, by: 3) {
            let cut = file.prefix(count)
            guard let image = try? cut.decoded(), let source = image.frames else { continue }
            #expect(source.frames.count <= 4 && !image.metadata.warnings.isEmpty)
            let reader = try source.makeReader()
            for index in source.frames.indices {
                #expect(try reader.frame(at: index, WorkContext()).allBytes == whole[index].allBytes)
            }
            if image.metadata.isPartial {
                #expect(cut.errorCode { $0[WebPDecoding.self].strictness = .strict } == .truncatedData)
                #expect(try cut.decoded { $0.firstFrameOnly = true }.metadata.isPartial == false)
            }
        }
    }

    @Test func aFrameThatIsNoneKeepsItsTimeAndShowsWhatWasThere() throws {
        let red = try frame([255, 0, 0, 255], 12, 10)
        let outside = try frame([1, 1, 1, 255], 12, 10, x: 2)
        let file = WebPFile.animation(Self.canvas, red, outside, red)
        let frames = try frames(file)
        #expect(frames.count == 3 && frames[1].allBytes == frames[0].allBytes)
        #expect(file.errorCode { $0[WebPDecoding.self].strictness = .strict } == .corruptData)
        #expect(file.errorCode { $0.limits.frames = 2 } == .frameLimit)
        #expect(file.errorCode { $0.limits.frames = 3 } == nil)
        #expect(file.errorCode { $0.limits.compositedPixels = 239 } == .frameLimit)
        #expect(file.errorCode { ($0.limits.frames, $0.firstFrameOnly) = (2, true) } == nil)
    }

    @Test(arguments: 0..<6) func changedFramesAreSurvived(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let size = PixelSize(width: 30, height: 20)
        let lossy = try WebPFile.encoding(try ImageFactory.transparency(30, 20)).frame(size)
        let file = WebPFile.animation(
            size, lossy,
            try WebPFile.encoding(try ImageFactory.noise(30, 20, seed: 1), lossless: true).frame(size),
            lossy)
        for _ in 0..<100 {
            var changed = file
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let place = Int.random(in: 44..<changed.bytes.count, using: &generator)
                changed.bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let source = try? WebPCoder().frameSource(changed.data, DecodeOptions()) else { continue }
            let reader = try source.makeReader()
            for index in source.frames.indices.reversed() {
                do {
                    #expect(try reader.frame(at: index, WorkContext()).size == size)
                } catch {
                    #expect(error is ImageError)
                }
            }
        }
    }

    @Test(
        .enabled(if: Corpus.isPresent, "WEBIMAGE_CORPUS names no corpus"),
        arguments: Corpus.entries { $0.format == "webp-anim" && $0.expect == .decode && $0.bomb != true })
    func everyFrameOfTheCorpusIsTheOneThatPlayersShow(_ entry: CorpusEntry) throws {
        let file = WebPFile(bytes: Array(try #require(Corpus.shared).data(at: entry.path)))
        guard (entry.frameCount ?? 1) > 1 else {
            #expect(try file.decoded().frames == nil)
            return
        }
        let source = try source(file)
        #expect(source.frames.count == entry.frameCount && source.loopCount == entry.loopCount)
        #expect(source.frames.map(\.durationMilliseconds).prefix(400) == entry.frameDurationsMs?[...])
        let digests = try #require(entry.rgbaSHA256).all
        let unturned = entry.rgbaSHA256Unoriented?.all ?? []
        let reader = try source.makeReader()
        for index in source.frames.indices where digests[index] != "" {
            let hex = try reader.frame(at: index, WorkContext()).withUnsafeBytes { SHA256.hex($0) }
            #expect(digests[index] == hex || unturned.dropFirst(index).first == hex, "frame \(index)")
        }
        let last = source.frames.count - 1
        let played = try reader.frame(at: last, WorkContext()).allBytes
        #expect(try source.makeReader().frame(at: last, WorkContext()).allBytes == played)
    }
}
