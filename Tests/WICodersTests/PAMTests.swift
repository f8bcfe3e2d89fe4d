// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

/// The raw form that other tools compare with.
struct PAMTests {
    private let coder = PAMCoder()

    private func file(
        _ width: Int, _ height: Int, depth: Int, maximum: Int, _ samples: [UInt8], extra: String = ""
    ) -> Data {
        Data("P7\n\(extra)WIDTH \(width)\nHEIGHT \(height)\nDEPTH \(depth)\nMAXVAL \(maximum)\nENDHDR\n".utf8)
            + samples
    }
    private func decode(_ data: Data, _ format: PixelFormat = .rgba8) throws -> DecodedImage {
        var options = DecodeOptions()
        options.pixelFormat = format
        return try coder.decode(data, options, WorkContext())
    }
    private func bytes(_ image: DecodedImage) -> [UInt8] { image.pixels.withUnsafeBytes { Array($0) } }

    @Test("a picture is written as RGB_ALPHA with straight alpha, byte for byte")
    func exactBytes() throws {
        let pixels = try ImageFactory.picture(2, 2, alphaMode: .straight) { x, y, channel in
            UInt8(x * 100 + y * 10 + channel)
        }
        let expected =
            Data("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n".utf8)
            + [0, 1, 2, 3, 100, 101, 102, 103, 10, 11, 12, 13, 110, 111, 112, 113]
        for format in [PixelFormat.rgba8, .bgra8, .rgba16] {
            let image = DecodedImage(pixels: try pixels.converted(to: format, alphaMode: .straight))
            #expect(try coder.encode(image, as: .pam, EncodeOptions(), WorkContext()) == expected)
        }
        let premultiplied = try ImageFactory.picture(1, 1, alphaMode: .premultiplied) { _, _, channel in
            channel == 3 ? 128 : 64
        }
        let file = try coder.encode(
            DecodedImage(pixels: premultiplied), as: .pam, EncodeOptions(), WorkContext())
        #expect(file.suffix(4) == Data([128, 128, 128, 128]))
    }

    @Test("what is written comes back")
    func roundTrip() throws {
        let pixels = try ImageFactory.noise(33, 17, seed: 1, alphaMode: .straight)
        let file = try coder.encode(DecodedImage(pixels: pixels), as: .pam, EncodeOptions(), WorkContext())
        let image = try decode(file)
        #expect(bytes(image) == pixels.withUnsafeBytes { Array($0) })
        #expect(image.pixels.alphaMode == .straight && image.format == .pam && !image.metadata.isPartial)
        #expect(ImageFormat.detect(file.bytes) == .pam)
    }

    @Test("one to four channels and any maximum are read")
    func kinds() throws {
        #expect(
            bytes(try decode(file(2, 1, depth: 1, maximum: 1, [0, 1]))) == [0, 0, 0, 255, 255, 255, 255, 255])
        #expect(bytes(try decode(file(1, 1, depth: 2, maximum: 255, [7, 9]))) == [7, 7, 7, 9])
        #expect(
            bytes(try decode(file(1, 1, depth: 3, maximum: 15, [0, 8, 15], extra: "# über\n"))) == [
                0, 136, 255, 255,
            ])
        #expect(bytes(try decode(file(1, 1, depth: 3, maximum: 15, [200, 8, 15]))) == [255, 136, 255, 255])
        #expect(
            bytes(try decode(file(1, 1, depth: 1, maximum: 65_535, [0x12, 0xFF]))) == [0x12, 0x12, 0x12, 255])
        let wide = try decode(file(1, 1, depth: 4, maximum: 65_535, [1, 2, 3, 4, 5, 6, 7, 8]), .rgba16)
        let samples = wide.pixels.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        #expect(samples == [0x0102, 0x0304, 0x0506, 0x0708])
        let scaled = try decode(file(1, 1, depth: 1, maximum: 1000, [0x01, 0xF4]), .rgba16)
        #expect(scaled.pixels.withUnsafeBytes { $0.bindMemory(to: UInt16.self)[0] } == 32_768)
        #expect(try decode(file(1, 1, depth: 1, maximum: 255, [3])).pixels.alphaMode == .opaque)
    }

    @Test("cut files give the rows that exist, or an error")
    func cuts() throws {
        let whole = file(2, 3, depth: 3, maximum: 255, Array(1...18))
        let header = whole.count - 18
        for length in 0..<whole.count {
            if length < header + 6 {
                let error = #expect(throws: ImageError.self) { try decode(whole.prefix(length)) }
                #expect(error?.code == .truncatedData)
            } else {
                let image = try decode(whole.prefix(length))
                #expect(image.metadata.isPartial && image.pixels.alphaMode == .straight)
                let rows = (length - header) / 6
                #expect(bytes(image)[..<(rows * 8)] == bytes(try decode(whole))[..<(rows * 8)])
                #expect(bytes(image)[(rows * 8)...].allSatisfy { $0 == 0 })
            }
        }
    }

    @Test(
        "headers that make no sense are errors",
        arguments: [
            "P7\nENDHDR\n", "P7\nWIDTH 0\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nENDHDR\n",
            "P7\nWIDTH 1\nHEIGHT -1\nDEPTH 1\nMAXVAL 1\nENDHDR\n",
            "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 1\nENDHDR\n",
            "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 65536\nENDHDR\n",
            "P7\nWIDTH 99999999999999999999\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nENDHDR\n",
            "P7\n" + String(repeating: "# long\n", count: 20_000) + "ENDHDR\n",
        ])
    func badHeaders(_ header: String) {
        let error = #expect(throws: ImageError.self) { try decode(Data(header.utf8) + [1, 2, 3, 4]) }
        #expect(error?.code == .corruptData)
    }

    @Test("a header that claims too much is refused, and the probe asks for what it needs")
    func limitsAndProbe() throws {
        let data = file(100_000, 100_000, depth: 4, maximum: 255, [1, 2, 3])
        let error = #expect(throws: ImageError.self) { try decode(data) }
        #expect(error?.code == .dimensionLimit)
        let wide = #expect(throws: ImageError.self) {
            try decode(file(65_536, 1, depth: 1, maximum: 255, [UInt8](repeating: 1, count: 65_536)))
        }
        #expect(wide?.code == .dimensionLimit)
        guard case .needs(let count) = try coder.probe(data.prefix(20).bytes, isComplete: false) else {
            Issue.record("20 bytes are no whole header")
            return
        }
        #expect(count.bytes > 20)
        guard case .info(let info) = try coder.probe(data.bytes, isComplete: false) else {
            Issue.record("the header is there")
            return
        }
        #expect(info.storedSize == PixelSize(width: 100_000, height: 100_000) && info.hasAlpha)
    }
}
