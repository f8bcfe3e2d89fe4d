// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIPNG
import WIPixels
import WITestKit

/// Frames of animated PNG files on their canvas.
struct PNGAnimationTests {
    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let green: [UInt8] = [0, 255, 0, 128]
    private static let blue: [UInt8] = [0, 0, 255, 100]
    private static let clear: [UInt8] = [0, 0, 0, 0]

    /// Red; half-transparent green over it; blue that replaces, then goes; a point whose frame is restored; a point.
    static let sample = APNGMaker(
        width: 12, height: 10, plays: 3,
        frames: [
            .init(color: red, width: 12, height: 10),
            .init(color: green, width: 6, height: 6, x: 2, y: 2, delay: (1, 0), blend: 1, parts: 3),
            .init(color: blue, width: 6, height: 6, x: 4, y: 4, delay: (0, 7), disposal: 1),
            .init(color: [9, 9, 9, 255], width: 1, height: 1, disposal: 2),
            .init(color: green, width: 1, height: 1, x: 1, delay: (1, 3), blend: 1),
        ])

    private func source(
        _ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> (any FrameSource)? {
        var options = DecodeOptions()
        change(&options)
        return try PNGCoder().frameSource(data, options)
    }

    private func frames(_ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }) throws
        -> [PixelBuffer]
    {
        let source = try #require(try source(data, change))
        let reader = try source.makeReader()
        return try source.frames.indices.map { try reader.frame(at: $0, WorkContext()) }
    }

    private func decoded(_ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }) throws
        -> DecodedImage
    {
        var options = DecodeOptions()
        change(&options)
        return try PNGCoder().decode(data, options, WorkContext())
    }

    private func errorCode(_ data: Data, _ change: (inout DecodeOptions) -> Void) -> ImageError.Code? {
        do {
            _ = try decoded(data, change)
            return nil
        } catch {
            return (error as? ImageError)?.code
        }
    }

    private func pixel(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> [UInt8] {
        Array(pixels.allBytes[(y * pixels.width + x) * 4..<(y * pixels.width + x + 1) * 4])
    }

    @Test func `frames are blended, replaced and disposed of`() throws {
        let frames = try frames(Self.sample.data)
        #expect(pixel(frames[0], 11, 9) == Self.red)
        // 0 and 255 weighed 128 to 127.
        #expect(pixel(frames[1], 2, 2) == [127, 128, 0, 255] && pixel(frames[1], 8, 8) == Self.red)
        #expect(pixel(frames[2], 4, 4) == Self.blue && pixel(frames[2], 2, 2) == [127, 128, 0, 255])
        #expect(pixel(frames[3], 4, 4) == Self.clear && pixel(frames[3], 0, 0) == [9, 9, 9, 255])
        #expect(pixel(frames[4], 0, 0) == Self.red && pixel(frames[4], 1, 0) == [127, 128, 0, 255])
    }

    @Test func `head, source and picture say what the chunks say`() throws {
        let data = Self.sample.data
        let source = try #require(try source(data))
        let durations = [50, 10, 0, 50, 1000 / 3.0]
        #expect(source.frames.map(\.durationMilliseconds) == durations)
        #expect(source.loopCount == 3 && source.canvasSize == PixelSize(width: 12, height: 10))
        guard case .info(let info) = try PNGCoder().probe(data.bytes, isComplete: true) else {
            Issue.record("a complete file needs more")
            return
        }
        #expect(info.frameCount == 5 && info.loopCount == 3 && info.frameDurationsMilliseconds == durations)
        let image = try decoded(data)
        #expect(image.frameCount == 5 && image.loopCount == 3 && image.metadata.warnings.isEmpty)
        #expect(try image.pixels.allBytes == frames(data)[0].allBytes)
        #expect(try decoded(data) { $0.firstFrameOnly = true }.frames == nil)
    }

    @Test func `half over half gives three quarters, and the colour of the sum`() throws {
        var maker = APNGMaker(width: 1, height: 1)
        maker.frames = [
            .init(color: [200, 0, 0, 128], width: 1, height: 1),
            .init(color: [0, 100, 0, 128], width: 1, height: 1, blend: 1),
            .init(color: [1, 2, 3, 0], width: 1, height: 1, blend: 1),
        ]
        let frames = try frames(maker.data)
        // Weights 128 and 128 × 127 / 255 of 255.
        #expect(frames[1].allBytes == [66, 67, 0, 192] && frames[2].allBytes == frames[1].allBytes)
    }

    @Test func `a default image that is no frame is the picture, and not among the frames`() throws {
        var maker = APNGMaker(width: 2, height: 2, hidesDefault: true)
        maker.frames = [.init(color: Self.red, width: 2, height: 2)]
        for count in 1...2 {
            let image = try decoded(maker.data)
            #expect(pixel(image.pixels, 0, 1) == [128, 128, 128, 255])
            #expect(image.frameCount == count)
            #expect(image.frames?.frames.count == count)
            #expect(pixel(try frames(maker.data)[count - 1], 1, 1) == Self.red)
            maker.frames.append(maker.frames[0])
        }
        maker = APNGMaker(width: 2, height: 2)
        maker.frames = [.init(color: Self.red, width: 2, height: 2)]
        #expect(try source(maker.data) == nil)
        #expect(try decoded(maker.data).loopCount == 1)
    }

    @Test func `frames come the same in any order and from several readers`() throws {
        let data = Self.sample.data
        let expected = try frames(data).map(\.allBytes)
        let source = try #require(try source(data))
        let readers = [try source.makeReader(), try source.makeReader()]
        for (step, index) in [4, 0, 2, 2, 1, 3, 1, 0, 4].enumerated() {
            #expect(try readers[step % 2].frame(at: index, WorkContext()).allBytes == expected[index])
        }
        #expect(throws: ImageError.self) { try readers[0].frame(at: 5, WorkContext()) }
    }

    @Test func `frames are made smaller, turned and converted as asked, after compositing`() throws {
        var maker = Self.sample
        maker.before = [("eXIf", JPEGFile.exif(6))]
        let change: (inout DecodeOptions) -> Void = {
            $0.thumbnailSize = PixelSize(width: 5, height: 60)
            $0.pixelFormat = .bgra8
            $0.premultiplies = true
        }
        let whole = try frames(maker.data) { ($0.appliesOrientation, $0.pixelFormat) = (false, .bgra8) }
        for (small, large) in zip(try frames(maker.data, change), whole) {
            #expect(small.size == PixelSize(width: 5, height: 6) && small.format == .bgra8)
            let expected = try large.resized(
                to: PixelSize(width: 6, height: 5), filter: .lanczos3, WorkContext()
            ).oriented(.right).converted(to: .bgra8, alphaMode: small.alphaMode)
            #expect(small.allBytes == expected.allBytes)
        }
        let limit = ByteCount(12 * 10 * 4)
        let image = try decoded(maker.data) { $0.scaleDownLimit = limit }
        #expect(image.size == image.frames?.canvasSize && image.pixels.byteCount.bytes * 5 <= limit.bytes)
    }

    @Test func `the whole frames of a cut file are given, wherever it is cut`() throws {
        let data = Self.sample.data
        let whole = try frames(data).map(\.allBytes)
        var counts: [Int] = []
        for count in 100..<data.count {
            guard let image = try? decoded(data.prefix(count)) else { continue }
            let found = image.frames == nil ? [] : try frames(data.prefix(count)).map(\.allBytes)
            #expect(found == Array(whole.prefix(found.count)))
            #expect(image.metadata.isPartial || !found.isEmpty, "\(count)")
            #expect(
                errorCode(data.prefix(count)) { $0[PNGDecoding.self].strictness = .strict } == .truncatedData)
            counts.append(found.count)
        }
        #expect(counts == counts.sorted() && Set(counts) == [0, 2, 3, 4, 5])
    }

    @Test func `an animation that breaks a rule is a still with a warning`() throws {
        let sample = Self.sample.chunks
        func changed(_ change: (inout [(String, [UInt8])]) -> Void) -> Data {
            var chunks = sample
            change(&chunks)
            return APNGMaker.file(chunks)
        }
        let controls = sample.indices.filter { sample[$0].0 == "fcTL" }
        let data = sample.indices.filter { sample[$0].0 == "fdAT" }
        let broken = [
            "order": changed { $0.swapAt(data[0], data[1]) },
            "missing data chunk": changed { $0.remove(at: data[0]) },
            "missing control": changed { $0.remove(at: controls[2]) },
            "doubled control": changed { $0.insert($0[controls[2]], at: controls[2]) },
            "outside": changed { $0[controls[2]].1[15] = 7 },
            "no width": changed { $0[controls[2]].1[7] = 0 },
            "disposal": changed { $0[controls[2]].1[24] = 3 },
            "blend": changed { $0[controls[2]].1[25] = 2 },
            "short control": changed { $0[controls[2]].1.removeLast() },
            "small first": changed { $0[controls[0]].1[7] = 1 },
            "no frame": changed { $0[1].1[3] = 0 },
            "data without a number": changed { $0[data[0]].1 = [0, 0] },
            "no data at the end": changed { $0.remove(at: data[data.count - 1]) },
        ]
        for (name, file) in broken {
            let image = try decoded(file)
            #expect(image.frames == nil && image.metadata.isPartial, "\(name)")
            #expect(image.metadata.warnings.contains { $0.contains("animation is damaged") }, "\(name)")
            #expect(pixel(image.pixels, 0, 0) == Self.red, "\(name)")
            #expect(errorCode(file) { $0[PNGDecoding.self].strictness = .strict } == .corruptData, "\(name)")
            #expect(
                errorCode(file) { ($0[PNGDecoding.self].strictness, $0.firstFrameOnly) = (.strict, true) }
                    == nil)
            guard case .info(let info) = try PNGCoder().probe(file.bytes, isComplete: true) else { continue }
            #expect(info.frameCount == 1 && info.loopCount == 1, "\(name)")
        }
    }

    @Test func `a wrong number of frames is told of, and an animation control behind the picture ignored`()
        throws
    {
        var maker = Self.sample
        maker.statedFrames = 9
        let image = try decoded(maker.data)
        #expect(image.frameCount == 5 && !image.metadata.isPartial)
        #expect(image.metadata.warnings == ["The PNG file says that it has 9 frames, and has 5."])
        var chunks = Self.sample.chunks
        chunks.insert(chunks.remove(at: 1), at: 3)
        #expect(try decoded(APNGMaker.file(chunks)).frames == nil)
    }

    @Test func `a frame with damaged data shows the rows that exist, or is refused`() throws {
        var chunks = Self.sample.chunks
        let data = chunks.indices.filter { chunks[$0].0 == "fdAT" }
        let whole = try frames(Self.sample.data)
        // The filter type of the third row of the second frame, behind 7 bytes and two rows, in its second part of 54.
        chunks[data[1]].1[4 + 7 + 2 * 25 - 54] = 99
        let file = APNGMaker.file(chunks)
        let frames = try frames(file)
        #expect(pixel(frames[1], 2, 2) == pixel(whole[1], 2, 2) && pixel(frames[1], 2, 7) == Self.red)
        #expect(frames.count == 5 && frames[0].allBytes == whole[0].allBytes)
        let strict = try #require(try source(file) { $0[PNGDecoding.self].strictness = .strict })
        #expect(throws: ImageError.self) { try strict.makeReader().frame(at: 1, WorkContext()) }
        // A wrong checksum loses the chunk.
        var bytes = Self.sample.data
        let place = try #require(bytes.firstRange(of: Data("fdAT".utf8)))
        bytes[place.upperBound + 12] ^= 1
        #expect(try self.frames(bytes)[1].allBytes == whole[0].allBytes)
    }

    @Test func `limits hold before a frame is decoded`() throws {
        let data = Self.sample.data
        #expect(errorCode(data) { $0.limits.frames = 4 } == .frameLimit)
        #expect(errorCode(data) { $0.limits.frames = 5 } == nil)
        #expect(errorCode(data) { $0.limits.compositedPixels = 120 + 72 + 1 } == .frameLimit)
        #expect(errorCode(data) { $0.limits.compositedPixels = 120 + 72 + 2 } == nil)
        #expect(errorCode(data) { ($0.limits.frames, $0.firstFrameOnly) = (1, true) } == nil)
        let flag = CancellationFlag()
        flag.raise()
        let source = try #require(try source(data))
        #expect { try source.makeReader().frame(at: 0, WorkContext(flag: flag)) } throws: {
            ($0 as? ImageError)?.code == .cancelled
        }
    }

    @Test(arguments: 0..<6) func `changed files are survived`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let whole = Self.sample.data
        for _ in 0..<150 {
            var data = whole.prefix(Int.random(in: 60...whole.count, using: &generator))
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                data[Int.random(in: 33..<data.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            guard let source = try? source(data) else { continue }
            let reader = try source.makeReader()
            for index in source.frames.indices.reversed() {
                #expect(try reader.frame(at: index, WorkContext()).size == source.canvasSize)
            }
        }
    }
}
