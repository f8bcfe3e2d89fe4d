// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

/// Files that we write, in the hands of the formats' own programs, where these are installed.
@Suite(.timeLimit(.minutes(5))) struct ForeignProgramTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    private static func isInstalled(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/" + name)
    }

    private static let missing: Comment = "the program is not installed"

    private func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try Data(bytes).write(to: URL(filePath: runner.path(name)))
        return runner.path(name)
    }

    private func read(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: runner.path(name)))
    }

    private func encode(
        _ pixels: PixelBuffer, _ format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> Data {
        var options = EncodeOptions()
        change(&options)
        return try CodersManager.standard()
            .encode(DecodedImage(pixels: pixels), as: format, options, WorkContext())
    }

    /// Three frames, transparent in part.
    private func animation(_ format: ImageFormat) throws -> Data {
        let pictures = try (0..<3).map { index in
            let pixels = try ImageFactory.picture(40, 30, alphaMode: .straight) { x, y, channel in
                channel == 3
                    ? (x / 8 + y / 8 + index).isMultiple(of: 3) ? 0 : 255 : UInt8(x * 5 + channel * index)
            }
            return (pixels: pixels, durationMilliseconds: 50.0)
        }
        let image = DecodedImage(
            pixels: pictures[0].pixels, loopCount: 0, frames: try FrameList(pictures, loopCount: 0))
        return try CodersManager.standard().encode(image, as: format, EncodeOptions(), WorkContext())
    }

    /// The pixels that a decoder of ours sees.
    private func pixels(_ data: Data) throws -> [UInt8] {
        try CodersManager.standard().decode(data, DecodeOptions(), WorkContext()).pixels
            .withBytes { bytes in
                (0..<bytes.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            }
    }

    private func ppm(_ pixels: PixelBuffer) -> Data {
        var data = Data("P6\n\(pixels.width) \(pixels.height)\n255\n".utf8)
        pixels.withBytes { bytes in
            for offset in 0..<bytes.byteCount where offset % 4 < 3 {
                data.append(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            }
        }
        return data
    }

    @Test(.enabled(if: isInstalled("pngcheck"), missing)) func pngcheckFindsNothing() async throws {
        let pictures: [PixelBuffer] = [
            try ImageFactory.photoLike(61, 43), try ImageFactory.transparency(50, 20),
            try ImageFactory.checker(33, 33), try ImageFactory.gradient(1, 1),
        ]
        var paths: [String] = []
        for (index, picture) in pictures.enumerated() {
            for isInterlaced in [false, true] {
                let data = try encode(picture, .png) { $0[PNGEncoding.self].isInterlaced = isInterlaced }
                paths.append(try write("\(index)-\(isInterlaced).png", data))
            }
        }
        paths.append(try write("animated.png", try animation(.png)))
        for path in paths {
            let outcome = try await runner.run(["-v", path], program: "/usr/bin/pngcheck")
            #expect(outcome.status == 0, "\(outcome.text)")
        }
    }

    @Test(.enabled(if: isInstalled("webpinfo"), missing)) func webpinfoFindsNothing() async throws {
        for (name, data) in [
            ("still", try encode(try ImageFactory.photoLike(61, 43), .webp)),
            ("animated", try animation(.webp)),
        ] {
            let path = try write(name + ".webp", data)
            let outcome = try await runner.run(["-quiet", path], program: "/usr/bin/webpinfo")
            #expect(outcome.status == 0, "\(outcome.text)")
        }
    }

    @Test(.enabled(if: isInstalled("gifsicle"), missing)) func gifsicleFindsNothing() async throws {
        let path = try write("a.gif", try animation(.gif))
        let outcome = try await runner.run(["--info", path], program: "/usr/bin/gifsicle")
        #expect(outcome.status == 0)
        #expect(outcome.complaints.isEmpty, "\(outcome.complaints)")
        #expect(outcome.text.contains("3 images"))
        #expect(outcome.text.contains("loop forever"))
    }

    /// Same quality, same samples: the same picture in a file as long.
    @Test(.enabled(if: isInstalled("cjpeg"), missing), arguments: [50, 85, 95])
    func cjpegMakesTheSameOfAPicture(_ quality: Int) async throws {
        let picture = try ImageFactory.photoLike(160, 120)
        let source = try write("a.ppm", ppm(picture))
        let outcome = try await runner.run(
            ["-quality", "\(quality)", "-outfile", runner.path("theirs.jpg"), source],
            program: "/usr/bin/cjpeg")
        #expect(outcome.status == 0, "\(outcome.complaints)")
        let (theirs, ours) = (try read("theirs.jpg"), try encode(picture, .jpeg) { $0.quality = quality })
        #expect(try pixels(ours) == pixels(theirs))
        #expect(abs(ours.count - theirs.count) < 64)
    }

    @Test(.enabled(if: isInstalled("cwebp"), missing), arguments: [50, 85])
    func cwebpMakesTheSameOfAPicture(_ quality: Int) async throws {
        let picture = try ImageFactory.photoLike(160, 120)
        let source = try write("a.png", try encode(picture, .png))
        let outcome = try await runner.run(
            ["-quiet", "-q", "\(quality)", source, "-o", runner.path("theirs.webp")],
            program: "/usr/bin/cwebp")
        #expect(outcome.status == 0, "\(outcome.complaints)")
        let (theirs, ours) = (try read("theirs.webp"), try encode(picture, .webp) { $0.quality = quality })
        #expect(try pixels(ours) == pixels(theirs))
        #expect(abs(ours.count - theirs.count) < 64)
    }
}
