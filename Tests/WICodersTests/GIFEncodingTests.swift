// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIGIF
import WIPixels
import WITestKit

/// What is written, read again.
struct GIFEncodingTests {
    private func encode(
        _ image: DecodedImage, _ change: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> Data {
        var options = EncodeOptions()
        change(&options)
        return try GIFCoder().encode(image, as: .gif, options, WorkContext())
    }

    private func decode(_ file: Data) throws -> DecodedImage {
        try GIFCoder().decode(file, DecodeOptions(), WorkContext())
    }

    private func bytes(_ pixels: PixelBuffer) -> [UInt8] { pixels.withUnsafeBytes { Array($0) } }

    private func frames(_ source: (any FrameSource)?) throws -> [PixelBuffer] {
        let source = try #require(source)
        let reader = try source.makeReader()
        return try source.frames.indices.map { try reader.frame(at: $0, WorkContext()) }
    }

    private func picture(_ width: Int, _ height: Int, _ pixel: (Int) -> [UInt8]) throws -> PixelBuffer {
        var pixels = try MutablePixels(width: width, height: height)
        pixels.withUnsafeMutableBytes { $0.copyBytes(from: (0..<width * height).flatMap(pixel)) }
        return pixels.publish()
    }

    private func signalToNoise(_ left: PixelBuffer, _ right: PixelBuffer) -> Double {
        let sum = zip(bytes(left), bytes(right)).reduce(0.0) { sum, pair in
            let step = Double(pair.0) - Double(pair.1)
            return sum + step * step
        }
        // In decibels by powers of two, so that no logarithm is needed: 255² × samples ÷ sum.
        return 65_025 * Double(left.width * left.height * 3) / max(sum, 1)
    }

    @Test(arguments: [1, 2, 3, 4, 16, 17, 255, 256])
    func `as many colours as a table holds come back exactly`(count: Int) throws {
        for hasHoles in [false, true] where !hasHoles || count < 256 {
            let pixels = try picture(61, 43) { index in
                if hasHoles, index % 5 == 0 { return [0, 0, 0, 0] }
                let color = index * 7 % count
                return [UInt8(color), UInt8(255 - color), UInt8(truncatingIfNeeded: color * 3), 255]
            }
            let back = try decode(try encode(DecodedImage(pixels: pixels)))
            #expect(
                bytes(back.pixels) == bytes(pixels) && back.frames == nil && back.metadata.warnings.isEmpty)
            // A code has two bits at least: with a table of two colours, the data could hold an index beyond.
            #expect(back.pixels.alphaMode == (hasHoles || count <= 2 ? .straight : .opaque))
        }
    }

    @Test func `alpha is cut at the threshold, whatever the format of the pixels`() throws {
        let pixels = try picture(4, 1) { [200, 100, 50, [0, 127, 128, 255][$0]] }
        let expected: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 200, 100, 50, 255, 200, 100, 50, 255]
        for format in [PixelFormat.rgba8, .bgra8, .rgba16] {
            let image = DecodedImage(pixels: try pixels.converted(to: format, alphaMode: .straight))
            #expect(bytes(try decode(try encode(image)).pixels) == expected)
        }
        let all = try encode(DecodedImage(pixels: pixels)) { $0[GIFEncoding.self].alphaThreshold = 0 }
        #expect(bytes(try decode(all).pixels).prefix(8) == [0, 0, 0, 0, 200, 100, 50, 255])
    }

    @Test func `a photograph keeps its looks, with fewer colours less so, and dithering keeps its means`()
        throws
    {
        let photo = try ImageFactory.photoLike(160, 120)
        func result(_ colors: Int, _ dithering: GIFEncoding.Dithering) throws -> PixelBuffer {
            let file = try encode(DecodedImage(pixels: photo)) {
                $0[GIFEncoding.self].colors = colors
                $0[GIFEncoding.self].dithering = dithering
            }
            return try decode(file).pixels
        }
        let quality = try [256, 64, 8, 2].map { signalToNoise(photo, try result($0, .none)) }
        #expect(quality == quality.sorted(by: >))
        // 30 dB.
        #expect(quality[0] > 1000)
        #expect(signalToNoise(photo, try result(256, .floydSteinberg)) < quality[0])
        let small = PixelSize(width: 10, height: 8)
        let blurred = try photo.resized(to: small, filter: .box, WorkContext())
        let (plain, dithered) = (try result(8, .none), try result(8, .floydSteinberg))
        #expect(
            signalToNoise(blurred, try dithered.resized(to: small, filter: .box, WorkContext()))
                > signalToNoise(blurred, try plain.resized(to: small, filter: .box, WorkContext())))
    }

    @Test func `equal pictures give equal bytes, and a key of their own with other settings`() throws {
        let photo = DecodedImage(pixels: try ImageFactory.photoLike(80, 60))
        #expect(try encode(photo) == encode(photo))
        #expect(GIFEncoding().keyPart == nil)
        var settings = GIFEncoding()
        settings.colors = 16
        #expect(settings.keyPart != nil)
    }

    @Test func `animations come back frame by frame, with their times and loops`() throws {
        var generator = SeededGenerator(seed: 31)
        for round in 0..<60 {
            let file = GIFAnimationTests.random(&generator, frames: 8, covering: round % 2 == 0)
            let image = try decode(file)
            let again = try decode(try encode(image))
            #expect(again.frames?.frames == image.frames?.frames)
            #expect(try frames(again.frames).map(bytes) == frames(image.frames).map(bytes), "round \(round)")
        }
        let pixels = try picture(2, 2) { [UInt8($0), 0, 0, 255] }
        for loops in [0, 1, 2, 65_535] {
            let list = try FrameList([(pixels, 100), (pixels, 0), (pixels, 700_000)], loopCount: loops)
            let back = try decode(try encode(DecodedImage(pixels: pixels, loopCount: loops, frames: list)))
            #expect(back.loopCount == loops)
            #expect(back.frames?.frames.map(\.durationMilliseconds) == [100, 0, 655_350])
        }
    }

    @Test func `durations that are no hundredths are rounded without drift`() {
        let delays = GIFDelays([Double](repeating: 1000 / 60, count: 60)).hundredths
        #expect(delays.reduce(0, +) == 100 && Set(delays) == [1, 2])
        #expect(GIFDelays([-5, .nan, .infinity, 4, 4, 4]).hundredths == [0, 0, 0, 0, 1, 0])
    }

    @Test func `only what changes is written, within the smallest rectangle`() throws {
        let still = try picture(100, 100) { [UInt8($0 % 100), UInt8($0 / 100), 7, 255] }
        let moved = try picture(100, 100) { index in
            (index % 100, index / 100) == (40, 60)
                ? [1, 2, 3, 255] : [UInt8(index % 100), UInt8(index / 100), 7, 255]
        }
        let list = try FrameList([(still, 10), (moved, 10), (moved, 10)])
        var head = GIFHead()
        let file = try encode(DecodedImage(pixels: still, frames: list))
        _ = try head.read(file.bytes)
        #expect(head.frames.map(\.size).map(\.description) == ["100x100", "1x1", "1x1"])
        #expect(head.frames[1].left == 40 && head.frames[1].top == 60)
    }

    @Test func `profile and XMP are kept as the options say`() throws {
        var profile = Data(repeating: 3, count: 1000)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        let pixels = try picture(1, 1) { _ in [1, 2, 3, 255] }
        let metadata = ImageMetadata(storedSize: pixels.size, iccProfile: profile, xmp: Data("<x/>".utf8))
        let image = DecodedImage(pixels: pixels, metadata: metadata)
        let plain = try decode(try encode(image)).metadata
        #expect(plain.iccProfile == profile && plain.xmp == nil)
        let other = try decode(
            try encode(image) {
                $0.keepsICCProfile = false
                $0.keepsXMP = true
            }
        ).metadata
        #expect(other.iccProfile == nil && other.xmp == Data("<x/>".utf8))
    }

    @Test func `what GIF cannot hold is an error`() throws {
        let wide = DecodedImage(pixels: try MutablePixels(width: 65_536, height: 1).publish())
        var error = #expect(throws: ImageError.self) { try encode(wide) }
        #expect(error?.code == .dimensionLimit)
        error = #expect(throws: ImageError.self) {
            try GIFCoder().encode(wide, as: .png, EncodeOptions(), WorkContext())
        }
        #expect(error?.code == .unsupportedFormat)
        error = #expect(throws: ImageError.self) { try FrameList([]) }
        #expect(error?.code == .invalidArgument)
        let flag = CancellationFlag()
        flag.raise()
        let small = DecodedImage(pixels: try picture(1, 1) { _ in [1, 2, 3, 255] })
        error = #expect(throws: ImageError.self) {
            try GIFCoder().encode(small, as: .gif, EncodeOptions(), WorkContext(flag: flag))
        }
        #expect(error?.code == .cancelled)
    }

    @Test(.enabled("WEBIMAGE_CORPUS names no corpus", { Corpus.isPresent }))
    func `sound animations and stills of the corpus come back exactly`() throws {
        for entry in Corpus.entries(where: { $0.format == "gif" && $0.expect == .decode && $0.bomb != true })
        {
            let image = try decode(try #require(Corpus.shared).data(at: entry.path))
            guard image.size.pixelCount ?? .max < 300_000, !entry.path.contains("high-color") else {
                continue
            }
            let again = try decode(try encode(image))
            #expect(bytes(again.pixels) == bytes(image.pixels), "\(entry)")
            guard image.frames != nil else { continue }
            #expect(
                again.frames?.frames == image.frames?.frames && again.loopCount == image.loopCount, "\(entry)"
            )
            #expect(try frames(again.frames).map(bytes) == frames(image.frames).map(bytes), "\(entry)")
        }
    }
}
