// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing

@testable import WICore

@Suite struct ImageFormatTests {
    private func detect(_ bytes: [UInt8]) -> ImageFormat? { ImageFormat.detect(Data(bytes).bytes) }

    private static func box(_ brand: String, _ compatible: [String] = []) -> [UInt8] {
        let size = UInt8(16 + 4 * compatible.count)
        return [0, 0, 0, size] + Array("ftyp".utf8) + Array(brand.utf8) + [0, 0, 0, 0]
            + compatible.flatMap { Array($0.utf8) }
    }

    static let samples: [(ImageFormat, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, Array("GIF87a".utf8)), (.gif, Array("GIF89a".utf8)),
        (.webp, Array("RIFF".utf8) + [1, 0, 0, 0] + Array("WEBPVP8 ".utf8)),
        (.avif, box("avif")), (.avif, box("mif1", ["miaf", "avif"])), (.avif, box("avis")),
        (.heic, box("heic")), (.heic, box("mif1", ["heic"])), (.heif, box("mif1", ["miaf"])),
        (.jxl, [0xFF, 0x0A, 1, 2]), (.jxl, [0, 0, 0, 0x0C] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
        (.jp2, [0, 0, 0, 0x0C] + Array("jP  ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
        (.jp2, [0xFF, 0x4F, 0xFF, 0x51]),
        (.tiff, Array("II".utf8) + [42, 0]), (.tiff, Array("MM".utf8) + [0, 42]),
        (.bmp, Array("BM".utf8) + Array(repeating: 0, count: 12) + [40, 0, 0, 0]),
        (.ico, [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0]),
        (.cur, [0, 0, 2, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0]),
        (.svg, Array("<svg xmlns=".utf8)),
        (
            .svg,
            Array(
                "\u{FEFF}<?xml version=\"1.0\"?>\n<!-- a > b --><!DOCTYPE svg [<!ENTITY x \"y\">]>\n<s:svg >"
                    .utf8)
        ),
        (.pdf, Array("%PDF-1.7".utf8)), (.psd, Array("8BPS".utf8)), (.pam, Array("P7\nWIDTH 1".utf8)),
        (.qoi, Array("qoif".utf8)),
    ]

    @Test(arguments: samples)
    func magicBytesTellTheFormat(_ format: ImageFormat, _ bytes: [UInt8]) {
        #expect(detect(bytes) == format)
    }

    @Test(arguments: [
        "", "<html><svg>", "hello", "BM and so on and on", "RIFF....WAVE", "\u{89}PNG", "<!-- <svg> -->",
    ])
    func whatIsNoPictureIsNotOne(_ text: String) {
        #expect(detect(Array(text.utf8)) == nil)
    }

    @Test func everyPrefixIsReadWithinItsBounds() {
        for (_, bytes) in Self.samples {
            for count in 0...bytes.count { _ = detect(Array(bytes.prefix(count))) }
        }
    }

    @Test func namesAndTypesGoBothWays() {
        for format in ImageFormat.all {
            #expect(ImageFormat.named(byMIMEType: format.mimeType) == format)
            #expect(ImageFormat.named(byExtension: format.fileExtension.uppercased()) == format)
        }
        #expect(ImageFormat.named(byMIMEType: "Image/JPG; q=1") == .jpeg)
        #expect(ImageFormat.named(byExtension: "txt") == nil)
    }
}
