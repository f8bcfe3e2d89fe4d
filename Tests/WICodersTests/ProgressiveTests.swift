// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

/// Pictures of every format that are shown while they arrive.
struct ProgressiveTests {
    /// A file, who decodes it, and what is seen of it in the end.
    private struct Sample {
        let name: String
        let coder: any ProgressiveImageCoder & ImageCoder
        let data: Data

        func last(_ options: DecodeOptions = DecodeOptions()) throws -> PixelBuffer {
            let image = try coder.decode(data, options, WorkContext())
            guard let frames = image.frames else { return image.pixels }
            return try frames.makeReader().frame(at: frames.frames.count - 1, WorkContext())
        }
    }

    private func encoded(
        _ pixels: PixelBuffer, _ coder: any ImageCoder, _ format: ImageFormat,
        frames: (any FrameSource)? = nil, _ change: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> Data {
        var options = EncodeOptions()
        change(&options)
        return try coder.encode(
            DecodedImage(pixels: pixels, frames: frames), as: format, options, WorkContext())
    }

    private func samples(_ width: Int = 93, _ height: Int = 70) throws -> [Sample] {
        let photo = try ImageFactory.photoLike(width, height)
        let holes = try ImageFactory.transparency(width, height)
        let noise = try ImageFactory.noise(width, height, seed: 3)
        let frames = try FrameList([(photo, 50), (noise, 50), (photo, 50)])
        let (jpeg, png, gif, webp) = (JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder())
        return [
            Sample(name: "baseline", coder: jpeg, data: try encoded(photo, jpeg, .jpeg)),
            Sample(
                name: "progressive", coder: jpeg,
                data: try encoded(photo, jpeg, .jpeg) { $0[JPEGEncoding.self].isProgressive = true }),
            Sample(name: "png", coder: png, data: try encoded(photo, png, .png)),
            Sample(name: "png with alpha", coder: png, data: try encoded(holes, png, .png)),
            Sample(
                name: "interlaced png", coder: png,
                data: try encoded(holes, png, .png) { $0[PNGEncoding.self].isInterlaced = true }),
            Sample(name: "apng", coder: png, data: PNGAnimationTests.sample.data),
            Sample(name: "gif", coder: gif, data: try encoded(holes, gif, .gif)),
            Sample(name: "animated gif", coder: gif, data: try encoded(photo, gif, .gif, frames: frames)),
            Sample(name: "webp", coder: webp, data: try encoded(photo, webp, .webp)),
            Sample(name: "animated webp", coder: webp, data: try encoded(photo, webp, .webp, frames: frames)),
        ]
    }

    @Test(arguments: [1, 7, 1000, 1_000_000])
    func `however the bytes are cut, the last preview is the picture`(_ step: Int) throws {
        for sample in try samples() {
            let drip = Dripping(sample.data, with: sample.coder, step: step)
            let (last, expected) = (try #require(drip.previews.last, "\(sample.name)"), try sample.last())
            #expect(last.size == expected.size && last.allBytes == expected.allBytes, "\(sample.name)")
            #expect(last.alphaMode == expected.alphaMode, "\(sample.name)")
            #expect(drip.failure == nil, "\(sample.name)")
        }
    }

    @Test func `previews have the size, format and alpha that are asked for`() throws {
        for sample in try samples() {
            for format in [PixelFormat.rgba8, .bgra8, .rgba16] {
                var options = DecodeOptions()
                options.thumbnailSize = PixelSize(width: 31, height: 40)
                options.pixelFormat = format
                options.premultiplies = true
                let expected = try sample.last(options)
                let previews = Dripping(sample.data, with: sample.coder, options, step: 300).previews
                #expect(
                    previews.allSatisfy { $0.size == expected.size && $0.format == format }, "\(sample.name)")
                let last = try #require(previews.last)
                // Where the whole file is made smaller row by row, or before it is multiplied, rounding differs.
                let most = format == .rgba16 ? 3 * 257 : 3
                #expect(last.difference(from: expected) <= most, "\(sample.name) \(format)")
            }
        }
    }

    @Test func `rows only grow, and what has not come is transparent`() throws {
        for sample in try samples(400, 300) where ["baseline", "png", "gif"].contains(sample.name) {
            let whole = try sample.last().allBytes
            let previews = Dripping(sample.data, with: sample.coder, step: sample.data.count / 12).previews
            #expect(previews.count > 6, "\(sample.name)")
            let rows = previews.map { preview in
                let (bytes, length) = (preview.allBytes, preview.bytesPerRow)
                let same = (0..<300).prefix {
                    bytes[$0 * length..<($0 + 1) * length] == whole[$0 * length..<($0 + 1) * length]
                }
                let isRestClear = bytes[(same.count * length)...].allSatisfy { $0 == 0 }
                #expect(isRestClear, "\(sample.name)")
                return same.count
            }
            #expect(rows == rows.sorted() && rows.last == 300, "\(sample.name)")
        }
    }

    @Test func `frames come one by one, each once, in their order`() throws {
        for sample in try samples() where ["animated gif", "animated webp", "apng"].contains(sample.name) {
            let source = try #require(
                try sample.coder.decode(sample.data, DecodeOptions(), WorkContext()).frames)
            let reader = try source.makeReader()
            let frames = try source.frames.indices.map { try reader.frame(at: $0, WorkContext()).allBytes }
            let shown = Dripping(sample.data, with: sample.coder, step: 1).previews.map(\.allBytes)
            #expect(shown.suffix(frames.count - 1) == frames.dropFirst(), "\(sample.name)")
            #expect(shown.dropLast(frames.count - 1).last == frames[0], "\(sample.name)")
        }
    }

    @Test func `limits hold, and who asks for the first frame sees no other`() throws {
        for sample in try samples() {
            var options = DecodeOptions()
            options.limits.pixels = 100
            let drip = Dripping(sample.data, with: sample.coder, options, step: 100)
            #expect(drip.failureCode == .dimensionLimit && drip.previews.isEmpty, "\(sample.name)")
            options = DecodeOptions()
            (options.limits.frames, options.limits.scans) = (2, 2)
            let few = Dripping(sample.data, with: sample.coder, options, step: 100).failureCode
            let isMany = ["progressive", "apng", "animated gif", "animated webp"].contains(sample.name)
            #expect(
                few == (isMany ? sample.name == "progressive" ? .scanLimit : .frameLimit : nil),
                "\(sample.name)")
            options = DecodeOptions()
            options.firstFrameOnly = true
            let first = try sample.coder.decode(sample.data, options, WorkContext()).pixels
            #expect(
                Dripping(sample.data, with: sample.coder, options, step: 50).previews.last?.allBytes
                    == first.allBytes)
        }
    }

    @Test func `an interlaced picture is coarse first, without gaps`() throws {
        let photo = try ImageFactory.photoLike(64, 64)
        var maker = GIFMaker(64, 64)
        maker.frame(0, 0, 64, 64, (0..<64 * 64).map { UInt8($0 / 64 % 4) }, interlaced: true)
        let png = try encoded(photo, PNGCoder(), .png) { $0[PNGEncoding.self].isInterlaced = true }
        for (data, coder) in [(maker.file, GIFCoder() as any ProgressiveImageCoder), (png, PNGCoder())] {
            let previews = Dripping(data, with: coder, step: data.count / 10).previews
            // With half of the data, all is covered.
            #expect(previews.count > 4)
            #expect(previews[previews.count / 2].isOpaque())
        }
    }

    @Test(arguments: 0..<4) func `changed bytes are survived`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for sample in try samples() {
            for _ in 0..<25 {
                var data = sample.data
                for _ in 0..<Int.random(in: 1...5, using: &generator) {
                    data[Int.random(in: 12..<data.count, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
                var options = DecodeOptions()
                options.limits.pixels = 1_000_000
                let drip = Dripping(data, with: sample.coder, options) {
                    Int.random(in: 1...400, using: &generator)
                }
                #expect(drip.failure == nil || drip.failure is ImageError)
            }
        }
    }

    @Test func `a cancelled decoder says so`() throws {
        let flag = CancellationFlag()
        flag.raise()
        for sample in try samples() {
            let decoder = try sample.coder.makeProgressiveDecoder(DecodeOptions())
            #expect { try decoder.append(sample.data.bytes, WorkContext(flag: flag)) } throws: {
                ($0 as? ImageError)?.code == .cancelled
            }
        }
    }

    @Test(
        .enabled(if: Corpus.isPresent, "WEBIMAGE_CORPUS names no corpus"),
        arguments: Corpus.entries {
            CorpusTests.isOurs($0) && $0.expect == .decode && $0.bomb != true
                && $0.ambiguousOrientation != true
        })
    func `every sound file of the corpus arrives as it is decoded`(_ entry: CorpusEntry) throws {
        let data = try #require(Corpus.shared).data(at: entry.path)
        let coders: [any ProgressiveImageCoder] = [JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder()]
        let coder = try #require(coders.first { $0.format(of: data.bytes) != nil })
        var generator = SeededGenerator(seed: UInt64(data.count))
        let most = max(1, data.count / 8)
        let drip = Dripping(data, with: coder) { Int.random(in: 1...most, using: &generator) }
        // Arithmetic coding, and how to turn it behind the picture: shown when it is whole.
        if drip.failureCode == .unsupportedFeature || entry.path.contains("exif-after-idat") { return }
        // Nobody but the end marker says that a picture without its last bytes has come.
        if coder is JPEGCoder, !data.suffix(64).contains([0xFF, 0xD9]) { return }
        let image = try coder.decode(data, DecodeOptions(), WorkContext())
        guard !image.metadata.isPartial else { return }
        let expected = try image.frames.map {
            try $0.makeReader().frame(at: $0.frames.count - 1, WorkContext())
        }
        let last = try #require(drip.previews.last)
        #expect(last.allBytes == (expected ?? image.pixels).allBytes)
        #expect(drip.failure == nil)
    }
}
