// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

@testable import WIWebP

/// Animations that are written, and read again.
@Suite struct WebPAnimationEncodingTests {
    /// A ball that moves over a still ground; in `holes`, some of it is transparent.
    private func pictures(_ count: Int, holes: Bool = false) throws -> [PixelBuffer] {
        let ground = try ImageFactory.photoLike(64, 48).allBytes
        return try (0..<count).map { index in
            try ImageFactory.picture(64, 48, alphaMode: holes ? .straight : .opaque) { x, y, channel in
                let (across, down) = (x - 10 - index * 7, y - 20)
                let isBall = across * across + down * down < 60
                if holes, !isBall, x > 50 { return channel == 3 ? 0 : 9 }
                return isBall ? [255, 40, 0, 255][channel] : ground[(y * 64 + x) * 4 + channel]
            }
        }
    }

    private func image(_ pictures: [PixelBuffer], _ durations: [Double], loops: Int = 0) throws
        -> DecodedImage
    {
        let frames = try FrameList(
            zip(pictures, durations).map { (pixels: $0, durationMilliseconds: $1) }, loopCount: loops)
        return DecodedImage(pixels: try #require(pictures.first), loopCount: loops, frames: frames)
    }

    private func encode(_ image: DecodedImage, lossless: Bool = true) throws -> WebPFile {
        var options = EncodeOptions()
        options[WebPEncoding.self].isLossless = lossless
        return WebPFile(bytes: Array(try WebPCoder().encode(image, as: .webp, options, WorkContext())))
    }

    @Test(arguments: [false, true]) func losslessFramesTimesAndLoopsComeBack(_ holes: Bool) throws {
        let pictures = try pictures(5, holes: holes)
        let durations: [Double] = [40, 0, 70_000, 33, 100]
        let file = try encode(try image(pictures, durations, loops: 4))
        let info = try file.info()
        #expect(info.frameDurationsMilliseconds == durations && info.loopCount == 4 && info.hasAlpha == holes)
        let source = try #require(try file.decoded().frames)
        let reader = try source.makeReader()
        for index in pictures.indices {
            #expect(try reader.frame(at: index, WorkContext()).allBytes == pictures[index].allBytes)
        }
    }

    @Test func lossyFramesComeClose() throws {
        let pictures = try pictures(4)
        let file = try encode(try image(pictures, [50, 50, 50, 50]), lossless: false)
        let reader = try #require(try file.decoded().frames).makeReader()
        for index in pictures.indices {
            #expect(try reader.frame(at: index, WorkContext()).psnr(to: pictures[index]) > 28)
        }
    }

    @Test func onlyWhatChangesIsWritten() throws {
        let pictures = try pictures(6)
        let moving = try encode(try image(pictures, [Double](repeating: 50, count: 6)))
        let still = try encode(try image([pictures[0]], [50]))
        #expect(moving.bytes.count < still.bytes.count * 2)
        let same = try encode(try image([pictures[0], pictures[0], pictures[0]], [50, 60, 70]))
        #expect(same.bytes.count < still.bytes.count + 300)
        #expect(try same.info().frameDurationsMilliseconds == [50, 60, 70])
    }

    @Test func anAnimationOfOneFrameIsAStill() throws {
        let file = try encode(try image(try pictures(1), [50]))
        #expect(file.chunkNames == ["VP8L"])
    }

    @Test func metadataAreKeptAsAStills() throws {
        let pictures = try pictures(2)
        let plain = try image(pictures, [50, 50])
        var metadata = ImageMetadata(storedSize: pictures[0].size)
        metadata.iccProfile = Data([UInt8](repeating: 1, count: 16) + Array("RGB ".utf8) + [2, 3, 4])
        metadata.exif = Data(JPEGFile.exif(1))
        let file = try encode(
            DecodedImage(pixels: plain.pixels, metadata: metadata, loopCount: 0, frames: plain.frames))
        #expect(file.chunkNames == ["VP8X", "ICCP", "ANIM", "ANMF", "ANMF"])
        #expect(try file.decoded().metadata.iccProfile == metadata.iccProfile)
    }

    @Test func theSameFramesGiveTheSameBytesInAnyFormat() throws {
        let pictures = try pictures(3, holes: true)
        let durations: [Double] = [10, 20, 30]
        let once = try encode(try image(pictures, durations)).bytes
        let wide = try pictures.map { try $0.converted(to: .rgba16, alphaMode: .straight) }
        let swapped = try pictures.map { try $0.converted(to: .bgra8, alphaMode: .straight) }
        for kind in [pictures, wide, swapped] {
            let isSame = try encode(try image(kind, durations)).bytes == once
            #expect(isSame)
        }
    }

    @Test func roundedDurationsDoNotDrift() {
        let thirds = FrameDurations([Double](repeating: 100.0 / 3, count: 300), longest: 0xFF_FFFF)
            .milliseconds
        #expect(thirds.reduce(0, +) == 10_000 && Set(thirds) == [33, 34])
        #expect(
            FrameDurations([.nan, -5, 1e300, 10], longest: 0xFF_FFFF).milliseconds == [0, 0, 0xFF_FFFF, 10])
    }

    @Test(
        .enabled(if: Corpus.isPresent, "WEBIMAGE_CORPUS names no corpus"),
        arguments: Corpus.entries {
            $0.format == "webp-anim" && $0.expect == .decode && ($0.frameCount ?? 1) > 1
                && ($0.width ?? 0) * ($0.height ?? 0) * ($0.frameCount ?? 1) <= 300_000
        })
    func anAnimationOfTheCorpusComesBackBitForBit(_ entry: CorpusEntry) throws {
        let original = WebPFile(bytes: Array(try #require(Corpus.shared).data(at: entry.path)))
        let image = try original.decoded()
        let back = try encode(image).decoded()
        let (before, after) = (try #require(image.frames), try #require(back.frames))
        #expect(before.frames == after.frames && before.loopCount == after.loopCount)
        let readers = (try before.makeReader(), try after.makeReader())
        for index in before.frames.indices {
            let frames = (
                try readers.0.frame(at: index, WorkContext()), try readers.1.frame(at: index, WorkContext())
            )
            #expect(frames.0.allBytes == frames.1.allBytes, "frame \(index)")
        }
    }
}
