// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WITestKit

/// What is known of a file without decoding it, and what its chunks hand over.
@Suite struct WebPHeadTests {
    private static let size = PixelSize(width: 12, height: 7)

    private func still(lossless: Bool = true) throws -> WebPFile {
        try WebPFile.encoding(try ImageFactory.noise(12, 7, seed: 5), lossless: lossless)
    }

    private func profile(_ colorSpace: String) -> [UInt8] {
        [UInt8](repeating: 1, count: 16) + Array(colorSpace.utf8) + [UInt8](repeating: 2, count: 109)
    }

    @Test func anAnimationIsCountedAndTimedWithoutDecoding() throws {
        let picture = try still()
        let file = WebPFile.animation(
            PixelSize(width: 20, height: 30), loops: 7, picture.frame(Self.size, milliseconds: 40),
            WebPFile.chunk("junk", [1, 2, 3]), picture.frame(Self.size, x: 8, y: 22, milliseconds: 0),
            picture.frame(Self.size, milliseconds: 70_000))
        let info = try file.info()
        #expect(info.storedSize == PixelSize(width: 20, height: 30) && info.hasAlpha)
        #expect(info.frameCount == 3 && info.loopCount == 7)
        #expect(info.frameDurationsMilliseconds == [40, 0, 70_000])
    }

    @Test func aStillHasOneFrameAndNoDuration() throws {
        for lossless in [false, true] {
            let info = try still(lossless: lossless).info()
            #expect(info.storedSize == Self.size && info.format == .webp && !info.hasAlpha)
            #expect(info.frameCount == 1 && info.loopCount == 1 && info.frameDurationsMilliseconds.isEmpty)
        }
    }

    @Test func metadataAreHandedOverAndFirstBlocksCount() throws {
        let file = WebPFile.extended(
            Self.size, WebPFile.iccFlag | WebPFile.xmpFlag, WebPFile.chunk("ICCP", profile("RGB ")),
            try still().picture, WebPFile.chunk("XMP ", Array("<x/>".utf8)), WebPFile.chunk("XMP ", [1]))
        #expect(try file.info().hasICCProfile)
        let metadata = try file.decoded().metadata
        #expect(metadata.iccProfile == Data(profile("RGB ")) && metadata.xmp == Data("<x/>".utf8))
        #expect(metadata.exif == nil)
    }

    @Test func aProfileThatDoesNotDescribeRGBIsDropped() throws {
        let file = WebPFile.extended(
            Self.size, WebPFile.iccFlag, WebPFile.chunk("ICCP", profile("GRAY")), try still().picture)
        #expect(try file.info().hasICCProfile && file.decoded().metadata.iccProfile == nil)
    }

    @Test func aMetadataBlockOverTheLimitIsRefused() throws {
        let file = WebPFile.extended(
            Self.size, WebPFile.exifFlag, try still().picture,
            WebPFile.chunk("EXIF", [UInt8](repeating: 0, count: 200)))
        #expect(file.errorCode { $0.limits.metadataBlock = ByteCount(199) } == .metadataLimit)
        #expect(file.errorCode { $0.limits.metadataBlock = ByteCount(200) } == nil)
    }

    @Test func aPartOfAFileSaysHowMuchMoreIsNeeded() throws {
        let picture = try still()
        let files = [
            picture, try still(lossless: false), try WebPFile.encoding(try ImageFactory.transparency(30, 20)),
            WebPFile.extended(
                Self.size, WebPFile.iccFlag, WebPFile.chunk("ICCP", profile("RGB ")), picture.picture,
                WebPFile.chunk("EXIF", JPEGFile.exif(6))),
            WebPFile.animation(Self.size, picture.frame(Self.size), picture.frame(Self.size)),
        ]
        for file in files {
            var length = 12
            while case .needs(let count) = try WebPCoder().probe(
                file.data.prefix(length).bytes, isComplete: false)
            {
                #expect(count.bytes > length && count.bytes <= file.bytes.count)
                length = count.bytes
            }
            guard
                case .info(let info) = try WebPCoder().probe(
                    file.data.prefix(length).bytes, isComplete: false)
            else { continue }
            #expect(info.storedSize == (try file.info()).storedSize)
            for shorter in 0..<length {
                #expect(throws: ImageError.self) { try file.prefix(shorter).info() }
            }
        }
    }

    @Test func aCanvasOfAnotherSizeThanItsPictureIsAnError() throws {
        let file = WebPFile.extended(PixelSize(width: 12, height: 8), 0, try still().picture)
        #expect(file.errorCode() == .corruptData)
    }

    @Test func aFramePastItsCanvasIsAnError() throws {
        let picture = try still()
        let canvas = PixelSize(width: 20, height: 20)
        #expect(WebPFile.animation(canvas, picture.frame(Self.size, x: 10)).errorCode() == .corruptData)
        #expect(WebPFile.animation(canvas, picture.frame(Self.size, y: 14)).errorCode() == .corruptData)
        #expect(WebPFile.animation(canvas, picture.frame(canvas)).errorCode() == .corruptData)
        #expect(WebPFile.animation(canvas).errorCode() == .corruptData)
    }

    @Test func aSizeOverTheLimitIsRefusedBeforeAnythingIsDecoded() throws {
        // Nothing but heads: a picture of 16384 x 16384, and a canvas of 2^24 x 2^24.
        let head: [UInt8] = [0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0]
        #expect(WebPFile.riff(WebPFile.chunk("VP8L", head)).errorCode() == .dimensionLimit)
        let canvas = PixelSize(width: 1 << 24, height: 1 << 24)
        let frame = try still().frame(Self.size)
        #expect(WebPFile.animation(canvas, frame).errorCode() == .dimensionLimit)
    }

    @Test func chunksThatAreNoPictureAreErrors() {
        #expect(WebPFile(bytes: []).errorCode() == .emptyData)
        #expect(WebPFile.riff().errorCode() == .truncatedData)
        #expect(WebPFile.riff(WebPFile.chunk("text", [1, 2, 3, 4, 5, 6, 7, 8])).errorCode() == .corruptData)
        #expect(
            WebPFile.riff(WebPFile.chunk("VP8 ", [UInt8](repeating: 0, count: 30))).errorCode()
                == .corruptData)
        #expect(
            WebPFile.riff(WebPFile.chunk("VP8L", [UInt8](repeating: 0, count: 30))).errorCode()
                == .corruptData)
        #expect(WebPFile.riff(WebPFile.chunk("VP8X", [0, 0])).errorCode() == .corruptData)
        #expect(WebPFile.extended(Self.size, 0, WebPFile.chunk("EXIF", [1])).errorCode() == .corruptData)
    }

    @Test func anEstimateCoversWhatADecodeHolds() throws {
        let info = ImageInfo(format: .webp, storedSize: PixelSize(width: 1000, height: 800))
        var options = DecodeOptions()
        let whole = WebPCoder().estimate(info, options).bytes
        // The result, and what libwebp holds of a lossless picture.
        #expect(whole >= 2 * 1000 * 800 * 4 && whole < 3 * 1000 * 800 * 4)
        options.thumbnailSize = PixelSize(width: 100, height: 100)
        let reduced = WebPCoder().estimate(info, options).bytes
        #expect(reduced >= 1000 * 800 * 4 && reduced < whole)
    }
}
