// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WITestKit

@Suite struct JPEGMetadataTests {
    /// Bytes that look like a profile of `space` as far as decoders look.
    private func profile(_ space: String, _ count: Int) -> [UInt8] {
        var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        bytes.replaceSubrange(16..<20, with: Array(space.utf8))
        return bytes
    }

    private func chunk(_ number: UInt8, _ count: UInt8, _ part: some Sequence<UInt8>) -> [UInt8] {
        Array("ICC_PROFILE\0".utf8) + [number, count] + Array(part)
    }

    @Test func chunksOfAProfileAreJoinedInTheirOrder() throws {
        let bytes = profile("RGB ", 500)
        // The last inserted comes first in the file: chunks out of order.
        let file = try JPEGFile.photo(8, 8).inserting(0xE2, chunk(1, 2, bytes[..<300]))
            .inserting(0xE2, chunk(2, 2, bytes[300...]))
        #expect(try file.info()?.hasICCProfile == true)
        let metadata = try file.decoded().metadata
        #expect(metadata.iccProfile == Data(bytes))
        #expect(metadata.warnings.isEmpty)
    }

    @Test func aProfileWithAMissingOrRepeatedChunkIsDropped() throws {
        let bytes = profile("RGB ", 500)
        let first = try JPEGFile.photo(8, 8).inserting(0xE2, chunk(1, 2, bytes[..<300]))
        let repeated = first.inserting(0xE2, chunk(1, 2, bytes[..<300]))
        let outside = first.inserting(0xE2, chunk(3, 2, bytes[300...]))
        for file in [first, repeated, outside] {
            #expect(try file.info()?.hasICCProfile == true)
            let metadata = try file.decoded().metadata
            #expect(metadata.iccProfile == nil)
            #expect(metadata.warnings.contains { $0.contains("ICC") })
        }
    }

    @Test(arguments: ["CMYK", "GRAY", "Lab "]) func aProfileOfAnotherColourSpaceIsDropped(_ space: String)
        throws
    {
        let file = try JPEGFile.photo(8, 8).inserting(0xE2, chunk(1, 1, profile(space, 200)))
        #expect(try file.decoded().metadata.iccProfile == nil)
    }

    @Test func aProfileLargerThanTheLimitIsAnError() throws {
        let file = try JPEGFile.photo(8, 8).inserting(0xE2, chunk(1, 1, profile("RGB ", 5000)))
        #expect(errorCode { try file.decoded { $0.limits.metadataBlock = ByteCount(5000) } } == nil)
        #expect(
            errorCode { try file.decoded { $0.limits.metadataBlock = ByteCount(4999) } } == .metadataLimit)
    }

    @Test func theEXIFBlockSaysHowThePixelsLie() throws {
        let file = try JPEGFile.photo(8, 8).insertingEXIF(6)
        let turned = try #require(try file.decoded().metadata.exif)
        #expect(turned == Data(JPEGFile.exif(1)))
        let stored = try #require(try file.decoded { $0.appliesOrientation = false }.metadata.exif)
        #expect(stored == Data(JPEGFile.exif(6)))
    }

    @Test func xmpIsHandedOver() throws {
        let packet = Array("<x:xmpmeta/>".utf8)
        let file = try JPEGFile.photo(8, 8)
            .inserting(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet).insertingEXIF(1)
        let metadata = try file.decoded().metadata
        #expect(metadata.xmp == Data(packet))
        #expect(metadata.exif == Data(JPEGFile.exif(1)))
    }

    @Test func densityIsGivenPerInch() throws {
        func density(_ unit: UInt8, _ x: Int, _ y: Int) throws -> PixelDensity? {
            let numbers = [UInt8(x >> 8), UInt8(x & 0xFF), UInt8(y >> 8), UInt8(y & 0xFF)]
            let segment = Array("JFIF\0".utf8) + [1, 2, unit] + numbers + [0, 0]
            return try JPEGFile.photo(8, 8).inserting(0xE0, segment).decoded().metadata.density
        }
        #expect(try density(1, 300, 150) == PixelDensity(horizontal: 300, vertical: 150))
        #expect(try density(2, 100, 50) == PixelDensity(horizontal: 254, vertical: 127))
        // A ratio of the sides alone is no density.
        #expect(try density(0, 2, 1) == nil)
        #expect(try density(1, 0, 72) == nil)
    }

    @Test func whatWasDecodedIsEncodedAgain() throws {
        let bytes = profile("RGB ", 70_000)
        let metadata = ImageMetadata(
            storedSize: PixelSize(width: 8, height: 8), orientation: .right, iccProfile: Data(bytes),
            exif: Data(JPEGFile.exif(3)), xmp: Data("<x/>".utf8),
            density: PixelDensity(horizontal: 300, vertical: 150))
        let image = DecodedImage(pixels: try ImageFactory.gradient(8, 8), metadata: metadata)
        var options = EncodeOptions()
        let plain = JPEGFile(bytes: Array(try JPEGCoder().encode(image, as: .jpeg, options, WorkContext())))
        let plainMetadata = try plain.decoded().metadata
        #expect(plainMetadata.iccProfile == Data(bytes))
        #expect(plainMetadata.exif == nil)
        #expect(plainMetadata.xmp == nil)
        #expect(plainMetadata.density == PixelDensity(horizontal: 300, vertical: 150))
        options.keepsEXIF = true
        options.keepsXMP = true
        options.keepsICCProfile = false
        let full = JPEGFile(bytes: Array(try JPEGCoder().encode(image, as: .jpeg, options, WorkContext())))
        let fullMetadata = try full.decoded { $0.appliesOrientation = false }.metadata
        #expect(fullMetadata.iccProfile == nil)
        #expect(fullMetadata.exif == Data(JPEGFile.exif(6)))
        #expect(fullMetadata.orientation == .right)
        #expect(fullMetadata.xmp == Data("<x/>".utf8))
    }

    @Test func blocksThatFitNoMarkerAreAnError() throws {
        var metadata = ImageMetadata(storedSize: PixelSize(width: 8, height: 8))
        metadata.exif = Data(count: 66_000)
        let image = DecodedImage(pixels: try ImageFactory.gradient(8, 8), metadata: metadata)
        var options = EncodeOptions()
        options.keepsEXIF = true
        #expect(
            errorCode { try JPEGCoder().encode(image, as: .jpeg, options, WorkContext()) } == .metadataLimit)
        metadata.iccProfile = Data(count: 255 * 65_519 + 1)
        let profiled = DecodedImage(pixels: image.pixels, metadata: metadata)
        #expect(
            errorCode { try JPEGCoder().encode(profiled, as: .jpeg, EncodeOptions(), WorkContext()) }
                == .metadataLimit)
    }
}
