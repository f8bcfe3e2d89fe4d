// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIGIF
import WITestKit

/// Files of every kind that the format and its writers know, made for the purpose.
struct GIFKindsTests {
    static func decode(
        _ file: Data, _ change: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> DecodedImage {
        var options = DecodeOptions()
        change(&options)
        return try GIFCoder().decode(file, options, WorkContext())
    }

    private func probe(_ file: Data) throws -> ImageInfo {
        guard case .info(let info) = try GIFCoder().probe(file.bytes, isComplete: true) else {
            throw ImageError(.truncatedData, stage: .decode, "The probe needs more.")
        }
        return info
    }

    /// The colours of `GIFMaker.palette` by index; nil is transparent.
    static func pixels(_ indices: [UInt8?]) -> [UInt8] {
        indices.flatMap { index -> [UInt8] in
            guard let index else { return [0, 0, 0, 0] }
            return [UInt8(truncatingIfNeeded: Int(index) * 16 + 1), index, 255 - index, 255]
        }
    }

    static func bytes(_ image: DecodedImage) -> [UInt8] { image.pixels.withUnsafeBytes { Array($0) } }

    @Test(arguments: ["87a", "89a"])
    func `both versions give their pixels, opaque where nothing can shine through`(version: String) throws {
        var maker = GIFMaker(3, 2, version: version)
        maker.frame(0, 0, 3, 2, [0, 1, 2, 3, 2, 1])
        let image = try Self.decode(maker.file)
        #expect(Self.bytes(image) == Self.pixels([0, 1, 2, 3, 2, 1]))
        #expect(image.pixels.alphaMode == .opaque && image.format == .gif && image.loopCount == 1)
        #expect(image.metadata.warnings.isEmpty && !image.metadata.isPartial)
        #expect(try probe(maker.file).hasAlpha == false)
    }

    @Test
    func `the transparent index, indices outside the table and a free part of the canvas are transparent`()
        throws
    {
        var maker = GIFMaker(4, 2, palette: GIFMaker.palette(2))
        maker.control(transparent: 1)
        maker.frame(1, 0, 3, 1, [0, 1, 3])
        let image = try Self.decode(maker.file)
        #expect(Self.bytes(image) == Self.pixels([nil, 0, nil, nil, nil, nil, nil, nil]))
        #expect(image.pixels.alphaMode == .straight)
        #expect(try probe(maker.file).hasAlpha)
        let blended = try Self.decode(maker.file) { $0.premultiplies = true }
        #expect(blended.pixels.alphaMode == .premultiplied && Self.bytes(blended) == Self.bytes(image))
    }

    @Test func `a frame's own palette goes before the file's`() throws {
        var maker = GIFMaker(2, 1, palette: [UInt8](repeating: 9, count: 12))
        maker.frame(0, 0, 2, 1, [1, 7], palette: GIFMaker.palette(8), codeSize: 3)
        #expect(Self.bytes(try Self.decode(maker.file)) == Self.pixels([1, 7]))
    }

    @Test func `interlaced rows stand where they belong`() throws {
        for height in [1, 2, 3, 4, 5, 8, 9, 17] {
            var maker = GIFMaker(1, height, palette: GIFMaker.palette(32))
            let order =
                Array(stride(from: 0, to: height, by: 8)) + Array(stride(from: 4, to: height, by: 8))
                + Array(stride(from: 2, to: height, by: 4)) + Array(stride(from: 1, to: height, by: 2))
            maker.frame(0, 0, 1, height, order.map { UInt8($0) }, interlaced: true, codeSize: 5)
            let image = try Self.decode(maker.file)
            #expect(Self.bytes(image) == Self.pixels((0..<height).map { UInt8($0) }), "height \(height)")
            #expect(try probe(maker.file).isMultiPass)
        }
    }

    @Test func `frames that hang out of the canvas are clipped, and those outside are not seen`() throws {
        for interlaced in [false, true] {
            var maker = GIFMaker(3, 3)
            maker.frame(2, 1, 2, 3, [1, 2, 3, 0, 2, 2], interlaced: interlaced)
            let below: UInt8 = interlaced ? 2 : 3
            #expect(
                Self.bytes(try Self.decode(maker.file))
                    == Self.pixels([nil, nil, nil, nil, nil, 1, nil, nil, below]))
        }
        var maker = GIFMaker(1, 1)
        maker.frame(1, 0, 2, 2, [1, 1, 1, 1])
        #expect(Self.bytes(try Self.decode(maker.file)) == [0, 0, 0, 0])
        maker = GIFMaker(1, 1)
        maker.frame(0, 60_000, 65_535, 5_000, [])
        #expect(Self.bytes(try Self.decode(maker.file)) == [0, 0, 0, 0])
    }

    @Test(arguments: [(0, 0), (0, 5), (5, 0)])
    func `a logical screen without a size takes that of the first frame`(width: Int, height: Int) throws {
        var maker = GIFMaker(width, height)
        maker.frame(7, 9, 2, 1, [1, 2])
        let image = try Self.decode(maker.file)
        #expect(image.size == PixelSize(width: 2, height: 1) && Self.bytes(image) == Self.pixels([1, 2]))
        #expect(try probe(maker.file).storedSize == PixelSize(width: 2, height: 1))
    }

    @Test func `bytes between blocks and behind the trailer do no harm`() throws {
        for stray: [UInt8] in [
            [0], [0, 0, 0], [1, 2, 3], Array("<!-- -->".utf8),
        ] {
            var maker = GIFMaker(2, 1)
            maker.bytes += stray
            maker.control(delay: 7)
            maker.bytes += stray
            maker.frame(0, 0, 2, 1, [1, 2])
            maker.bytes += stray
            maker.frame(0, 0, 2, 1, [2, 3])
            let file = maker.file + Data(stray)
            let info = try probe(file)
            #expect(info.frameCount == 2 && info.frameDurationsMilliseconds == [70, 0], "\(stray)")
            let image = try Self.decode(file)
            #expect(Self.bytes(image) == Self.pixels([1, 2]) && !image.metadata.isPartial)
            #expect(image.metadata.warnings.count == 1)
        }
    }

    @Test func `a file without a trailer is whole, and says so`() throws {
        var maker = GIFMaker(2, 1)
        maker.frame(0, 0, 2, 1, [1, 2])
        let image = try Self.decode(Data(maker.bytes))
        #expect(Self.bytes(image) == Self.pixels([1, 2]) && !image.metadata.isPartial)
        #expect(image.metadata.warnings.count == 1)
    }

    @Test func `loops and delays are the file's own numbers`() throws {
        for (name, loops) in [("NETSCAPE2.0", 3), ("ANIMEXTS1.0", 0), ("NETSCAPE2.1", nil)]
            as [(String, Int?)]
        {
            var maker = GIFMaker(1, 1)
            maker.loop(loops ?? 9, name: name)
            for delay in [0, 1, 65_535] {
                maker.control(delay: delay)
                maker.frame(0, 0, 1, 1, [1])
            }
            let info = try probe(maker.file)
            #expect(info.loopCount == loops ?? 1 && info.frameCount == 3)
            #expect(info.frameDurationsMilliseconds == [0, 10, 655_350])
            #expect(try Self.decode(maker.file).loopCount == loops ?? 1)
        }
        var maker = GIFMaker(1, 1)
        maker.application("NETSCAPE2.0", [[2, 0, 0, 1, 0], [1, 5, 1]])
        maker.frame(0, 0, 1, 1, [1])
        #expect(try probe(maker.file).loopCount == 261)
    }

    @Test func `comments, plain text and unknown extensions are passed over`() throws {
        var maker = GIFMaker(1, 1)
        for label: UInt8 in [0xFE, 0x01, 0x2A, 0xF9, 0xFF] {
            maker.bytes += [0x21, label, 3, 1, 2, 3, 2, 0x2C, 0x3B, 0]
            maker.bytes += [0x21, label, 0]
        }
        maker.frame(0, 0, 1, 1, [2])
        let image = try Self.decode(maker.file)
        #expect(Self.bytes(image) == Self.pixels([2]) && image.metadata.warnings.isEmpty)
    }

    @Test func `every code size, and tables that fill up, are cleared or not, give their pixels`() throws {
        var generator = SeededGenerator(seed: 3)
        for codeSize in 1...8 {
            let (width, height) = (311, 97)
            var runs: [UInt8] = []
            while runs.count < width * height {
                let index = UInt8(generator.next() % (1 << UInt64(codeSize)))
                runs += [UInt8](repeating: index, count: 1 + Int(generator.next() % 9))
            }
            let indices = Array(runs.prefix(width * height))
            for clears in [true, false] {
                var maker = GIFMaker(width, height, palette: GIFMaker.palette(256))
                maker.descriptor(0, 0, width, height)
                maker.bytes.append(UInt8(codeSize))
                let codes = GIFMaker.compressed(indices, codeSize: codeSize, clears: clears, ends: clears)
                maker.blocks(codes, blockSize: 1 + Int(generator.next() % 255))
                #expect(Self.bytes(try Self.decode(maker.file)) == Self.pixels(indices), "\(codeSize)")
            }
        }
    }

    @Test func `code sizes from 9 on are read as browsers do`() throws {
        for codeSize in 9...11 {
            var maker = GIFMaker(4, 1, palette: GIFMaker.palette(256))
            maker.frame(0, 0, 4, 1, [1, 255, 1, 255], codeSize: codeSize)
            #expect(Self.bytes(try Self.decode(maker.file)) == Self.pixels([1, 255, 1, 255]))
        }
    }

    @Test func `other pixel formats hold the same colours`() throws {
        var maker = GIFMaker(2, 1)
        maker.control(transparent: 2)
        maker.frame(0, 0, 2, 1, [1, 2])
        let swapped = try Self.decode(maker.file) { $0.pixelFormat = .bgra8 }
        #expect(Self.bytes(swapped) == [254, 1, 17, 255, 0, 0, 0, 0])
        let wide = try Self.decode(maker.file) { $0.pixelFormat = .rgba16 }
        #expect(wide.pixels.format == .rgba16)
        #expect(
            wide.pixels.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
                == [17 * 257, 257, 254 * 257, 65_535, 0, 0, 0, 0])
    }

    @Test func `profile and XMP are handed over`() throws {
        var profile = [UInt8](repeating: 5, count: 700)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        let packet = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        var maker = GIFMaker(1, 1)
        maker.application(
            "ICCRGBG1012", [Array(profile[..<255]), Array(profile[255..<510]), Array(profile[510...])])
        maker.bytes += [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + packet + [1]
        maker.bytes += (0...255).reversed().map { UInt8($0) } + [0]
        maker.frame(0, 0, 1, 1, [1])
        let metadata = try Self.decode(maker.file).metadata
        #expect(metadata.iccProfile == Data(profile) && metadata.xmp == Data(packet))
        #expect(metadata.warnings.isEmpty)
        #expect(try probe(maker.file).hasICCProfile)
        #expect(throws: ImageError.self) {
            try Self.decode(maker.file) { $0.limits.metadataBlock = ByteCount(600) }
        }
    }
}
