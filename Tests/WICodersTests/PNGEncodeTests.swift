// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIPNG
import WIPixels
import WITestKit

/// What is written comes back, bit for bit, in the smallest kind that holds it.
struct PNGEncodeTests {
    private let coder = PNGCoder()

    private func encode(_ image: DecodedImage, _ change: (inout EncodeOptions) -> Void = { _ in }) throws
        -> Data
    {
        var options = EncodeOptions()
        change(&options)
        return try coder.encode(image, as: .png, options, WorkContext())
    }
    private func encode(_ pixels: PixelBuffer, _ change: (inout EncodeOptions) -> Void = { _ in }) throws
        -> Data
    {
        try encode(DecodedImage(pixels: pixels), change)
    }
    private func decode(_ file: Data, _ format: PixelFormat = .rgba8, premultiplies: Bool = false) throws
        -> DecodedImage
    {
        var options = DecodeOptions()
        options.pixelFormat = format
        options.premultiplies = premultiplies
        return try coder.decode(file, options, WorkContext())
    }
    private func bytes(_ pixels: PixelBuffer) -> [UInt8] { pixels.withUnsafeBytes { Array($0) } }
    private func colorType(_ file: Data) -> UInt8 { file[25] }

    @Test("pictures come back bit for bit at every level, with every filter, interlaced or not")
    func roundTrips() throws {
        let filters: [PNGEncoding.Filters] = [[], .none, .sub, .up, .average, .paeth, [.sub, .paeth]]
        for picture in [
            try ImageFactory.noise(37, 23, seed: 1),
            try ImageFactory.noise(8, 5, seed: 2, alphaMode: .straight),
            try ImageFactory.transparency(64, 9), try ImageFactory.gradient(70, 41),
            try ImageFactory.textLike(90, 50),
            try ImageFactory.checker(17, 17, cell: 3), try ImageFactory.solid(1, 1, 7, 8, 9),
        ] {
            for filter in filters {
                for (level, isInterlaced) in [(0, false), (1, true), (6, false), (9, true)] {
                    let file = try encode(picture) {
                        $0[PNGEncoding.self].filters = filter
                        $0[PNGEncoding.self].level = level
                        $0[PNGEncoding.self].isInterlaced = isInterlaced
                    }
                    let decoded = try decode(file)
                    #expect(bytes(decoded.pixels) == bytes(picture))
                    #expect(decoded.metadata.warnings.isEmpty && !decoded.metadata.isPartial)
                }
            }
        }
    }

    @Test("16 bits, BGRA and premultiplied pixels are written as they are")
    func formats() throws {
        let straight = try ImageFactory.noise(21, 13, seed: 4, alphaMode: .straight)
        var wide = try MutablePixels(width: 21, height: 13, format: .rgba16)
        var generator = SeededGenerator(seed: 9)
        wide.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
        }
        let sixteen = wide.publish()
        for isInterlaced in [false, true] {
            let file = try encode(sixteen) { $0[PNGEncoding.self].isInterlaced = isInterlaced }
            let decoded = try decode(file, .rgba16).pixels
            #expect(file[24] == 16 && bytes(decoded) == bytes(sixteen))
        }
        let swapped = try straight.converted(to: .bgra8, alphaMode: .straight)
        let file = try encode(swapped)
        #expect(bytes(try decode(file).pixels) == bytes(straight))
        #expect(bytes(try decode(file, .bgra8).pixels) == bytes(swapped))
        let premultiplied = try straight.converted(to: .rgba8, alphaMode: .premultiplied)
        let back = try premultiplied.converted(to: .rgba8, alphaMode: .straight)
        #expect(bytes(try decode(try encode(premultiplied)).pixels) == bytes(back))
        let multiplied = try decode(try encode(straight), premultiplies: true).pixels
        #expect(multiplied.alphaMode == .premultiplied && bytes(multiplied) == bytes(premultiplied))
    }

    @Test("channels that say nothing are left out, unless asked to stay or a profile needs them")
    func reduction() throws {
        let color = try ImageFactory.gradient(9, 9)
        let gray = try ImageFactory.picture(32, 32) { x, y, channel in channel == 3 ? 255 : UInt8(4 * (x + y))
        }
        let opaqueButStraight = color.relabelled(.straight)
        let grayAlpha = try ImageFactory.picture(32, 32, alphaMode: .straight) { x, y, channel in
            UInt8(channel == 3 ? x * 8 : y * 8)
        }
        #expect(colorType(try encode(color)) == 2)
        #expect(colorType(try encode(opaqueButStraight)) == 2)
        #expect(colorType(try encode(gray)) == 0)
        #expect(colorType(try encode(grayAlpha)) == 4)
        #expect(colorType(try encode(try ImageFactory.transparency(9, 9))) == 6)
        let keeps: (inout EncodeOptions) -> Void = { $0[PNGEncoding.self].reducesColors = false }
        #expect(colorType(try encode(gray, keeps)) == 2)
        #expect(colorType(try encode(grayAlpha, keeps)) == 6)
        var metadata = ImageMetadata(storedSize: gray.size)
        metadata.iccProfile = Self.profile
        #expect(colorType(try encode(DecodedImage(pixels: gray, metadata: metadata))) == 3)
        for picture in [gray, grayAlpha, opaqueButStraight] {
            #expect(bytes(try decode(try encode(picture)).pixels) == bytes(picture))
        }
    }

    /// Not a profile, but long enough and of the right colour space.
    static let profile = Data(
        (0..<16).map { UInt8($0) } + Array("RGB XYZ ".utf8) + (0..<500).map { UInt8($0 & 255) })

    /// `count` colours, some of them transparent where `alpha` says so.
    private func colors(_ count: Int, alpha: Bool = false, width: Int = 61, height: Int = 40) throws
        -> PixelBuffer
    {
        try ImageFactory.picture(width, height, alphaMode: alpha ? .straight : .opaque) { x, y, channel in
            let index = (y * width + x) * 7 % count
            return [
                UInt8(index), UInt8(truncatingIfNeeded: index * 3), UInt8(200 - index % 100),
                alpha && index % 5 == 0 ? UInt8(index % 250) : 255,
            ][channel]
        }
    }

    @Test(
        "pictures of few colours become indices of as few bits as will do, interlaced or not",
        arguments: [false, true])
    func palettes(_ alpha: Bool) throws {
        for (count, depth) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)] {
            let pixels = try colors(count, alpha: alpha)
            for isInterlaced in [false, true] {
                let file = try encode(pixels) { $0[PNGEncoding.self].isInterlaced = isInterlaced }
                #expect(colorType(file) == 3, "\(count)")
                #expect(file[24] == UInt8(depth), "\(count)")
                #expect(bytes(try decode(file).pixels) == bytes(pixels), "\(count)")
            }
            #expect(
                colorType(try encode(pixels) { $0[PNGEncoding.self].reducesColors = false })
                    == (alpha ? 6 : 2))
        }
    }

    @Test("a table is not written where it takes more room than it saves, or colours are too many")
    func noPalettes() throws {
        let many = try ImageFactory.picture(300, 2) { x, y, channel in
            channel == 3 ? 255 : channel == 0 ? UInt8(x % 256) : channel == 1 ? UInt8(x / 256) : 9
        }
        #expect(colorType(try encode(many)) == 2)
        #expect(colorType(try encode(try colors(12, width: 4, height: 3))) == 2)
        // Gray of 8 bits takes no more than indices.
        let gray = try ImageFactory.picture(64, 64) { x, y, channel in channel == 3 ? 255 : UInt8(2 * (x + y))
        }
        #expect(colorType(try encode(gray)) == 0)
    }

    @Test("equal pictures give equal bytes")
    func deterministic() throws {
        let picture = try ImageFactory.photoLike(120, 80)
        let again = try encode(try ImageFactory.photoLike(120, 80))
        #expect(try encode(picture) == again)
    }

    @Test("profile and density are kept, EXIF and XMP on request alone, with the orientation of the pixels")
    func metadata() throws {
        let pixels = try ImageFactory.gradient(6, 4)
        // Little-endian TIFF, one entry: orientation 6.
        let exif = Data([
            0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
        ])
        let metadata = ImageMetadata(
            storedSize: pixels.size, iccProfile: Self.profile, exif: exif, xmp: Data("<x/>".utf8),
            density: PixelDensity(horizontal: 72, vertical: 144))
        let image = DecodedImage(pixels: pixels, metadata: metadata)
        let plain = try decode(try encode(image)).metadata
        #expect(plain.iccProfile == Self.profile && plain.exif == nil && plain.xmp == nil)
        let density = try #require(plain.density)
        #expect(abs(density.horizontal - 72) < 0.02 && abs(density.vertical - 144) < 0.02)
        let full = try encode(image) {
            $0.keepsEXIF = true
            $0.keepsXMP = true
            $0.keepsICCProfile = false
        }
        let read = try decode(full).metadata
        #expect(read.iccProfile == nil && read.xmp == Data("<x/>".utf8))
        #expect(read.exif == EXIFOrientation.rewriting(exif, to: .up))
        #expect(try decode(full).pixels.size == pixels.size)
    }

    @Test("an orientation is applied, or left and told")
    func orientation() throws {
        var maker = PNGMaker(2, 1)
        let exif: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
        ]
        maker.after = [("eXIf", Array("Exif\0\0".utf8) + exif)]
        let file = maker.file([0, 1, 2, 3, 4, 5, 6])
        let upright = try decode(file)
        #expect(upright.size == PixelSize(width: 1, height: 2) && upright.metadata.orientation == .up)
        #expect(upright.metadata.storedSize == PixelSize(width: 2, height: 1))
        #expect(upright.metadata.exif.map { EXIFOrientation.orientation(inTIFF: $0.bytes) } == .up)
        var options = DecodeOptions()
        options.appliesOrientation = false
        let stored = try coder.decode(file, options, WorkContext())
        #expect(stored.size == PixelSize(width: 2, height: 1) && stored.metadata.orientation == .right)
        #expect(stored.metadata.exif == Data(exif))
    }

    @Test("a gray profile is dropped with the gray, a compressed XMP packet is unfolded")
    func foreignMetadata() throws {
        func deflated(_ data: Data) -> [UInt8] { PNGMaker.stored(Array(data)) }
        var maker = PNGMaker(1, 1, colorType: 0)
        let gray = Data(
            Array(repeating: 0, count: 16) + Array("GRAYXYZ ".utf8) + Array(repeating: 1, count: 200))
        maker.before = [
            ("iCCP", Array("g\0\0".utf8) + deflated(gray)),
            (
                "iTXt",
                Array("XML:com.adobe.xmp\0".utf8) + [1, 0] + Array("en\0t\0".utf8)
                    + deflated(Data("<p/>".utf8))
            ),
        ]
        let metadata = try decode(maker.file([0, 9])).metadata
        #expect(metadata.iccProfile == nil && metadata.xmp == Data("<p/>".utf8))
        #expect(metadata.warnings.isEmpty)
    }

    @Test("thumbnails fit the box on the oriented size and never enlarge")
    func thumbnails() throws {
        let file = try encode(try ImageFactory.photoLike(200, 100))
        var options = DecodeOptions()
        options.thumbnailSize = PixelSize(width: 50, height: 50)
        #expect(try coder.decode(file, options, WorkContext()).size == PixelSize(width: 50, height: 25))
        options.thumbnailSize = PixelSize(width: 1000, height: 1000)
        #expect(try coder.decode(file, options, WorkContext()).size == PixelSize(width: 200, height: 100))
    }
}
