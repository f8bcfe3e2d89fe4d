// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

@testable import WebImageTool

/// What the command line says about how files are written.
@Suite(.timeLimit(.minutes(5))) struct ToolEncodingTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    /// A photograph-like picture as a PNG file with metadata.
    private func source() throws -> String {
        var metadata = ImageMetadata(storedSize: PixelSize(width: 200, height: 120))
        metadata.exif = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])
        metadata.xmp = Data("<x:xmpmeta/>".utf8)
        var profile = Data(count: 200)
        profile[3] = 200
        profile.replaceSubrange(16..<20, with: Data("RGB ".utf8))
        profile.replaceSubrange(36..<40, with: Data("acsp".utf8))
        metadata.iccProfile = profile
        var options = EncodeOptions()
        (options.keepsEXIF, options.keepsXMP) = (true, true)
        let image = DecodedImage(pixels: try ImageFactory.photoLike(200, 120), metadata: metadata)
        let path = runner.path("source.png")
        try PNGCoder().encode(image, as: .png, options, WorkContext()).write(to: URL(filePath: path))
        return path
    }

    private func converted(_ name: String, _ options: String...) async throws -> Data {
        let output = runner.path(name)
        let outcome = try await runner.run(["convert", try source(), output] + options)
        #expect(outcome.status == 0, "\(outcome.complaints)")
        return try Data(contentsOf: URL(filePath: output))
    }

    private func decoded(_ data: Data) throws -> DecodedImage {
        try CodersManager.standard().decode(data, DecodeOptions(), WorkContext())
    }

    @Test(arguments: ["jpg", "webp"]) func aFileIsNoLongerThanItMayBe(_ format: String) async throws {
        let plain = try await converted("plain.\(format)")
        let short = try await converted("short.\(format)", "--max-bytes", "2k")
        #expect(plain.count > 2048)
        #expect((1024...2048).contains(short.count))
        let outcome = try await runner.run(
            "convert", try source(), runner.path("none.\(format)"), "--max-bytes", "50")
        #expect(outcome.status == 1)
        #expect(outcome.complaints.contains("limit of 50 bytes"))
        #expect(!FileManager.default.fileExists(atPath: runner.path("none.\(format)")))
    }

    @Test func webPCanBeLossless() async throws {
        let source = try decoded(try Data(contentsOf: URL(filePath: try source())))
        let file = try decoded(try await converted("a.webp", "--lossless"))
        #expect(
            source.pixels.withBytes { one in
                file.pixels.withBytes { other in
                    (0..<one.byteCount).allSatisfy {
                        one.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
                            == other.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
                    }
                }
            })
    }

    @Test func filesThatComeInPassesAreWritten() async throws {
        // The frame header of progressive JPEG; the interlace byte of PNG.
        let jpeg = try await converted("a.jpg", "--interlace")
        #expect(jpeg.contains([0xFF, 0xC2]))
        #expect(!jpeg.contains([0xFF, 0xC0]))
        #expect(try await converted("a.png", "--interlace")[28] == 1)
    }

    @Test func colourSamplesAreAsManyAsAskedFor() async throws {
        let sizes = [
            try await converted("a.jpg", "--subsampling=444").count,
            try await converted("b.jpg", "--subsampling=4:2:2").count,
            try await converted("c.jpg", "--subsampling", "420").count,
        ]
        #expect(sizes == sizes.sorted(by: >))
        #expect(Set(sizes).count == 3)
        #expect(try await converted("d.jpg").count == sizes[2])
    }

    @Test func effortMakesFilesSmaller() async throws {
        for name in ["png", "webp", "jpg"] {
            let fast = try await converted("fast.\(name)", "--effort", "1").count
            #expect(try await converted("small.\(name)", "--effort", "9").count < fast)
        }
    }

    @Test func metadataAreKeptWhereAskedFor() async throws {
        let plain = try decoded(try await converted("a.jpg")).metadata
        #expect(plain.exif == nil)
        #expect(plain.xmp == nil)
        #expect(plain.iccProfile != nil)
        let kept = try decoded(try await converted("b.jpg", "--keep-exif", "--keep-xmp", "--strip-icc"))
            .metadata
        #expect(kept.exif != nil)
        #expect(kept.xmp == Data("<x:xmpmeta/>".utf8))
        #expect(kept.iccProfile == nil)
    }

    @Test func anAnimationStaysOneUnlessItsFirstFrameIsWanted() async throws {
        let pictures = try (0..<3).map {
            (pixels: try ImageFactory.photoLike(40, 30, seed: UInt64($0)), durationMilliseconds: 70.0)
        }
        let frames = try FrameList(pictures, loopCount: 4)
        let image = DecodedImage(pixels: pictures[0].pixels, loopCount: 4, frames: frames)
        let path = runner.path("anim.gif")
        try GIFCoder().encode(image, as: .gif, EncodeOptions(), WorkContext()).write(to: URL(filePath: path))
        _ = try await runner.run("convert", path, runner.path("anim.webp"))
        let whole = try decoded(try Data(contentsOf: URL(filePath: runner.path("anim.webp"))))
        #expect(whole.frames?.frames.map(\.durationMilliseconds) == [70, 70, 70])
        #expect(whole.loopCount == 4)
        _ = try await runner.run("convert", path, runner.path("still.webp"), "--first-frame")
        #expect(try decoded(try Data(contentsOf: URL(filePath: runner.path("still.webp")))).frames == nil)
    }
}
