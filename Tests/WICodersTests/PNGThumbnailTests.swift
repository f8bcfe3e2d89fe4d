// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WIPixels
import WITestKit

@testable import WIPNG

/// Pictures that are made smaller while their rows come, against those that were there whole first.
struct PNGThumbnailTests {
    private let coder = PNGCoder()

    private func file(_ pixels: PixelBuffer, interlaced: Bool = false) throws -> Data {
        var options = EncodeOptions()
        options[PNGEncoding.self].isInterlaced = interlaced
        return try coder.encode(DecodedImage(pixels: pixels), as: .png, options, WorkContext())
    }
    private func options(_ width: Int, _ height: Int, _ format: PixelFormat = .rgba8) -> DecodeOptions {
        var options = DecodeOptions()
        options.thumbnailSize = PixelSize(width: width, height: height)
        options.preservesAspectRatio = false
        options.pixelFormat = format
        return options
    }
    private func bytes(_ pixels: PixelBuffer) -> [UInt8] { pixels.withUnsafeBytes { Array($0) } }

    private func difference(_ left: PixelBuffer, _ right: PixelBuffer) -> Int {
        guard left.size == right.size, left.alphaMode == right.alphaMode else { return .max }
        return zip(bytes(left), bytes(right)).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    static let boxes = [(20, 15), (1, 1), (97, 3), (150, 101), (7, 131)]

    @Test("a thumbnail is what the whole picture gives when it is resized, by both ways", arguments: boxes)
    func equalsResized(_ width: Int, _ height: Int) throws {
        for picture in [
            try ImageFactory.photoLike(151, 132), try ImageFactory.transparency(151, 132),
            try ImageFactory.checker(151, 132, cell: 5),
        ] {
            let file = try file(picture)
            let expected = try picture.resized(
                to: PixelSize(width: width, height: height), filter: .lanczos3, WorkContext())
            for byLibrary in [false, true] {
                let image = try PNGDecoder(file, options(width, height), usesLibraryAlone: byLibrary)
                    .decode(WorkContext())
                #expect(difference(image.pixels, expected) <= 2)
                #expect(image.metadata.storedSize == picture.size && image.metadata.warnings.isEmpty)
            }
            let swapped = try coder.decode(file, options(width, height, .bgra8), WorkContext()).pixels
            #expect(
                difference(try swapped.converted(to: .rgba8, alphaMode: swapped.alphaMode), expected) <= 2)
            let wide = try coder.decode(file, options(width, height, .rgba16), WorkContext()).pixels
            #expect(wide.size == expected.size && wide.format == .rgba16)
        }
    }

    @Test("an opaque picture stays exactly opaque, and interlaced ones fit the box too")
    func opaqueAndInterlaced() throws {
        let picture = try ImageFactory.photoLike(200, 120)
        let plain = try coder.decode(try file(picture), options(33, 21), WorkContext()).pixels
        #expect(plain.alphaMode == .opaque && plain.isOpaque())
        #expect(bytes(plain).enumerated().allSatisfy { $0 % 4 != 3 || $1 == 255 })
        let passes = try coder.decode(try file(picture, interlaced: true), options(33, 21), WorkContext())
            .pixels
        #expect(difference(plain, passes) <= 2)
    }

    @Test("a cut picture's thumbnail shows the rows that exist, and nothing below them")
    func cut() throws {
        var generator = SeededGenerator(seed: 1)
        for colorType in [2, 6] {
            let maker = PNGMaker(64, 64, colorType: colorType)
            let whole = maker.file(maker.noise(&generator))
            let image = try coder.decode(whole.prefix(whole.count / 2), options(16, 16), WorkContext())
            #expect(image.metadata.isPartial && image.pixels.alphaMode == .straight)
            let full = try coder.decode(whole.prefix(whole.count / 2), DecodeOptions(), WorkContext())
            let expected = try full.pixels.resized(
                to: PixelSize(width: 16, height: 16), filter: .lanczos3, WorkContext())
            #expect(difference(image.pixels, expected) <= 2)
            #expect(bytes(image.pixels).suffix(16 * 4 * 6).allSatisfy { $0 == 0 })
        }
    }

    @Test("a damaged filter after many bands is met by the library way, not by rows taken twice")
    func damageAfterBands() throws {
        let maker = PNGMaker(9000, 40, colorType: 6)
        var rows = [UInt8](repeating: 0, count: (9000 * 4 + 1) * 40)
        for index in rows.indices where index % (9000 * 4 + 1) != 0 { rows[index] = 200 }
        rows[(9000 * 4 + 1) * 20] = 9
        let image = try coder.decode(maker.file(rows), options(90, 4), WorkContext())
        #expect(image.metadata.isPartial)
        #expect(image.pixels.withUnsafeBytes { $0[0] == 200 && $0[90 * 4 * 3] == 0 })
    }

    @Test(
        "a side over the limit is refused however few pixels there are, and a thumbnail made where it is raised"
    )
    func longSides() throws {
        for (width, height) in [(70_000, 1), (1, 70_000)] {
            let maker = PNGMaker(width, height, depth: 1, colorType: 0)
            let rowBytes = (width + 7) / 8 + 1
            let file = maker.file((0..<rowBytes * height).map { $0 % rowBytes == 0 ? 0 : 0xF0 })
            var options = options(100, 100)
            options.preservesAspectRatio = true
            let error = #expect(throws: ImageError.self) { try coder.decode(file, options, WorkContext()) }
            #expect(error?.code == .dimensionLimit && error?.message.contains("DecodeLimits.side") == true)
            options.limits.side = 70_000
            let pixels = try coder.decode(file, options, WorkContext()).pixels
            #expect(pixels.size == PixelSize(width: min(width, 100), height: min(height, 100)))
            // Half of a row of 0xF0 is white; of one pixel, all.
            let gray = width == 1 ? 255 : 127
            #expect(pixels.withUnsafeBytes { $0[3] == 255 && abs(Int($0[200]) - gray) <= 1 })
        }
    }

    @Test("the estimate of a very long row counts the row, and not what it is reduced with")
    func estimateOfALongRow() {
        let long = ImageInfo(
            format: .png, storedSize: PixelSize(width: 128_000_000, height: 1), bitsPerSample: 1)
        var box = options(100, 100)
        box.preservesAspectRatio = true
        #expect(coder.estimate(long, box).bytes < 128_000_000 * 26)
        #expect(coder.estimate(long, box).bytes > 128_000_000 * 4)
    }

    @Test("the estimate of a thumbnail of a very large picture stays small")
    func estimate() {
        var info = ImageInfo(format: .png, storedSize: PixelSize(width: 10_000, height: 10_000))
        let small = coder.estimate(info, options(256, 256))
        #expect(small < .mebibytes(40))
        #expect(coder.estimate(info, DecodeOptions()) > .mebibytes(900))
        info.isMultiPass = true
        #expect(coder.estimate(info, options(256, 256)) > .mebibytes(380))
    }
}
