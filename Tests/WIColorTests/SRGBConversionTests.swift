// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WIColor
import WICoders
import WICore
import WITestKit

@Suite struct SRGBConversionTests {
    private static let samples: [[Int]] = [
        [255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30], [200, 150, 100], [128, 128, 128],
        [255, 255, 255],
        [64, 220, 90],
    ]

    /// What Pillow's `ImageCms.profileToProfile` makes of the samples, with the profiles of these files.
    private static let expected: [(file: String, colors: [[Int]])] = [
        (
            "png/sharp--p3.png",
            [
                [255, 0, 0], [0, 255, 0], [0, 0, 255], [7, 20, 31], [209, 147, 91], [128, 128, 128],
                [255, 255, 255],
                [0, 224, 66],
            ]
        ),
        (
            "png/sharp--prophoto.png",
            [
                [255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 28, 42], [252, 154, 108], [146, 146, 146],
                [255, 255, 255],
                [0, 246, 69],
            ]
        ),
        (
            "webp/twelvemonkeys--photo-iccp-adobergb.webp",
            [
                [255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 12, 24], [217, 151, 97], [129, 129, 129],
                [255, 255, 255],
                [0, 221, 77],
            ]
        ),
        (
            "png/image--iCCP.png",
            [
                [255, 38, 0], [0, 249, 0], [4, 51, 255], [9, 26, 40], [211, 166, 119], [146, 146, 146],
                [255, 255, 255],
                [72, 222, 109],
            ]
        ),
        (
            "jpeg/libvips--sample-xyb.jpg",
            [
                [57, 0, 0], [102, 255, 77], [0, 0, 151], [0, 40, 0], [228, 86, 78], [152, 100, 142],
                [255, 255, 255],
                [185, 229, 199],
            ]
        ),
    ]

    private func profile(_ file: String) throws -> Data {
        let root = try #require(Corpus.shared?.root)
        let data = try Data(contentsOf: root.appending(path: file))
        var options = DecodeOptions()
        options.firstFrameOnly = true
        let coders = CodersManager([PNGCoder(), JPEGCoder(), WebPCoder()])
        let image = try coders.decode(data, options, WorkContext())
        return try #require(image.metadata.iccProfile)
    }

    private func picture(_ format: PixelFormat, _ mode: AlphaMode, alpha: Int = 255) throws -> PixelBuffer {
        let count = Self.samples.count
        var pixels = try MutablePixels(width: count, height: 3, format: format, alphaMode: mode)
        pixels.withMutableBytes { bytes in
            for index in 0..<count * 3 {
                var sample = Self.samples[index % count] + [alpha]
                if mode == .premultiplied { for part in 0..<3 { sample[part] = sample[part] * alpha / 255 } }
                if format.order == .bgra { sample.swapAt(0, 2) }
                for (channel, value) in sample.enumerated() {
                    if format.bitsPerChannel == 8 {
                        bytes.storeBytes(of: UInt8(value), toByteOffset: 4 * index + channel, as: UInt8.self)
                    } else {
                        bytes.storeBytes(
                            of: UInt16(value * 257), toByteOffset: 8 * index + 2 * channel, as: UInt16.self)
                    }
                }
            }
        }
        return pixels.publish()
    }

    /// The pixels of one row, red first, in steps of 255.
    private func row(_ pixels: PixelBuffer, _ y: Int) -> [[Int]] {
        pixels.withBytes { bytes in
            (0..<pixels.width).map { x in
                let start = y * pixels.bytesPerRow + x * pixels.format.bytesPerPixel
                var pixel = (0..<4).map { channel -> Int in
                    if pixels.format.bitsPerChannel == 8 {
                        return Int(bytes.unsafeLoad(fromByteOffset: start + channel, as: UInt8.self))
                    }
                    let wide = bytes.unsafeLoad(fromByteOffset: start + 2 * channel, as: UInt16.self)
                    return (Int(wide) + 128) / 257
                }
                if pixels.format.order == .bgra { pixel.swapAt(0, 2) }
                return pixel
            }
        }
    }

    @Test(.enabled(if: Corpus.isPresent), arguments: expected.indices)
    func coloursAreThosePillowMakes(index: Int) throws {
        let (file, colors) = Self.expected[index]
        let conversion = SRGBConversion(from: try profile(file))
        for format in [PixelFormat.rgba8, .bgra8, .rgba16] {
            let result = try conversion.transform(picture(format, .opaque), WorkContext())
            #expect(result.format == format && result.alphaMode == .opaque)
            for y in 0..<3 {
                for (pixel, color) in zip(row(result, y), colors) {
                    #expect(
                        zip(pixel, color).allSatisfy { abs($0 - $1) <= 1 } && pixel[3] == 255,
                        "\(file) \(pixel)")
                }
            }
        }
    }

    @Test(.enabled(if: Corpus.isPresent)) func alphaIsKept() throws {
        let conversion = SRGBConversion(from: try profile("png/sharp--p3.png"))
        let straight = try row(conversion.transform(picture(.rgba8, .straight, alpha: 51), WorkContext()), 1)
        #expect(straight[4] == [209, 147, 91, 51])
        let multiplied = try row(
            conversion.transform(picture(.rgba8, .premultiplied, alpha: 51), WorkContext()), 1)
        #expect(multiplied[6] == [51, 51, 51, 51] && multiplied[4][3] == 51)
    }

    @Test(.enabled(if: Corpus.isPresent)) func aPictureLosesItsProfile() throws {
        let profile = try profile("png/sharp--p3.png")
        let pixels = try picture(.rgba8, .opaque)
        let image = DecodedImage(
            pixels: pixels, format: .png,
            metadata: ImageMetadata(storedSize: pixels.size, iccProfile: profile))
        let result = try image.convertedToSRGB()
        #expect(
            result.metadata.iccProfile == nil && result.format == .png
                && row(result.pixels, 0)[7] == [0, 224, 66, 255])
        #expect(row(try result.convertedToSRGB().pixels, 0) == row(result.pixels, 0))
    }

    @Test func whatIsNoProfileIsAnError() throws {
        let pixels = try picture(.rgba8, .opaque)
        for bytes in [Data(), Data([1, 2, 3]), Data(repeating: 0, count: 200), Data("no profile".utf8)] {
            let error = #expect(throws: ImageError.self) {
                try SRGBConversion(from: bytes).transform(pixels, WorkContext())
            }
            #expect(error?.code == .corruptData && error?.stage == .transform)
        }
    }

    @Test(.enabled(if: Corpus.isPresent)) func everyCutAndEveryFlippedByteIsSurvived() throws {
        let (whole, pixels) = (try profile("png/sharp--p3.png"), try picture(.rgba8, .opaque))
        for count in stride(from: 0, to: whole.count, by: 7) {
            _ = try? SRGBConversion(from: whole.prefix(count)).transform(pixels, WorkContext())
        }
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0xFF
            _ = try? SRGBConversion(from: damaged).transform(pixels, WorkContext())
        }
    }

    @Test func otherProfilesHaveOtherKeys() {
        let keys = [Data(), Data([1]), Data([2]), Data([1, 2])].map { SRGBConversion(from: $0).keyPart }
        #expect(Set(keys).count == keys.count)
    }
}
