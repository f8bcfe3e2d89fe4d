// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WITestKit

@Suite struct JPEGEncodingTests {
    @Test(arguments: [JPEGEncoding.Subsampling.s444, .s422, .s420], [false, true])
    func whatIsEncodedLooksTheSame(_ subsampling: JPEGEncoding.Subsampling, _ isProgressive: Bool) throws {
        let pixels = try ImageFactory.gradient(101, 67)
        let file = try JPEGFile.encoding(pixels) {
            $0.quality = 95
            $0[JPEGEncoding.self].subsampling = subsampling
            $0[JPEGEncoding.self].isProgressive = isProgressive
        }
        let image = try file.decoded()
        #expect(image.pixels.meanDifference(pixels) < 1.5)
        #expect(!image.metadata.isPartial)
        let frame = try #require(file.offsets(of: isProgressive ? 0xC2 : 0xC0).first)
        let sampling: [JPEGEncoding.Subsampling: UInt8] = [.s444: 0x11, .s422: 0x21, .s420: 0x22]
        #expect(file.bytes[frame + 11] == sampling[subsampling])
    }

    @Test func higherQualityIsLargerAndCloser() throws {
        let pixels = try ImageFactory.photoLike(120, 90)
        var sizes: [Int] = []
        var differences: [Double] = []
        for quality in [1, 40, 85, 100] {
            let file = try JPEGFile.encoding(pixels) { $0.quality = quality }
            sizes.append(file.bytes.count)
            differences.append(try file.decoded().pixels.meanDifference(pixels))
        }
        #expect(sizes == sizes.sorted())
        #expect(differences == differences.sorted(by: >))
        let beyond = try JPEGFile.encoding(pixels) { $0.quality = 1000 }
        #expect(beyond.bytes.count == sizes.last)
    }

    @Test func fittedTablesGiveTheSamePixelsInFewerBytes() throws {
        let plain = try JPEGFile.photo(160, 120)
        let fitted = try JPEGFile.photo(160, 120) { $0[JPEGEncoding.self].optimizesTables = true }
        #expect(fitted.bytes.count < plain.bytes.count)
        #expect(try fitted.decoded().pixels.allBytes == plain.decoded().pixels.allBytes)
    }

    @Test(arguments: [AlphaMode.straight, .premultiplied], [PixelFormat.rgba8, .bgra8])
    func transparencyShowsTheBackground(_ mode: AlphaMode, _ format: PixelFormat) throws {
        // Half-transparent red (200, 40, 0), as each mode and order stores it.
        let colour: [Int] = mode == .straight ? [200, 40, 0, 128] : [100, 20, 0, 128]
        let order = format == .rgba8 ? [0, 1, 2, 3] : [2, 1, 0, 3]
        var pixels = try MutablePixels(width: 16, height: 16, format: format, alphaMode: mode)
        pixels.withMutableBytes { bytes in
            for index in 0..<16 * 16 * 4 {
                bytes.storeBytes(of: UInt8(colour[order[index % 4]]), toByteOffset: index, as: UInt8.self)
            }
        }
        let file = try JPEGFile.encoding(pixels.publish()) {
            $0.quality = 100
            $0.background = RGBColor(red: 0, green: 0, blue: 240)
        }
        let found = try file.decoded().pixels.pixel(8, 8)
        for (value, expected) in zip(found, [100, 20, 120, 255]) { #expect(abs(value - expected) <= 3) }
    }

    @Test func sixteenBitsAreEncodedByTheirHighBytes() throws {
        let pixels = try ImageFactory.photoLike(40, 40)
        var wide = try MutablePixels(width: 40, height: 40, format: .rgba16, alphaMode: .opaque)
        let bytes = pixels.allBytes
        wide.withMutableBytes { target in
            for index in bytes.indices {
                target.storeBytes(
                    of: UInt16(bytes[index]) << 8 | 0x55, toByteOffset: index * 2, as: UInt16.self)
            }
        }
        #expect(try JPEGFile.encoding(wide.publish()).bytes == JPEGFile.encoding(pixels).bytes)
    }

    @Test func largeFilesOutgrowTheirFirstBlock() throws {
        let pixels = try ImageFactory.noise(400, 300, seed: 5)
        let file = try JPEGFile.encoding(pixels) {
            $0.quality = 100
            $0[JPEGEncoding.self].subsampling = .s444
        }
        #expect(file.bytes.count > 130_000)
        #expect(try file.decoded().pixels.meanDifference(pixels) < 1.5)
    }

    @Test func sidesBeyondTheFormatAreAnError() throws {
        let pixels = try MutablePixels(width: 65_501, height: 1, alphaMode: .opaque).publish()
        #expect(errorCode { try JPEGFile.encoding(pixels) } == .dimensionLimit)
        let longest = try MutablePixels(width: 65_500, height: 1, alphaMode: .opaque).publish()
        #expect(try JPEGFile.encoding(longest).info()?.storedSize == PixelSize(width: 65_500, height: 1))
    }

    @Test(arguments: [false, true]) func anEncodeThatNobodyWantsStops(_ isProgressive: Bool) throws {
        let flag = CancellationFlag()
        flag.raise()
        var options = EncodeOptions()
        options[JPEGEncoding.self].isProgressive = isProgressive
        let image = DecodedImage(pixels: try ImageFactory.photoLike(64, 64))
        let code = errorCode { try JPEGCoder().encode(image, as: .jpeg, options, WorkContext(flag: flag)) }
        #expect(code == .cancelled)
    }

    @Test func otherFormatsAreRefused() throws {
        let image = DecodedImage(pixels: try ImageFactory.gradient(8, 8))
        let code = errorCode { try JPEGCoder().encode(image, as: .png, EncodeOptions(), WorkContext()) }
        #expect(code == .unsupportedFormat)
    }
}
