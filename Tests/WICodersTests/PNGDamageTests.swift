// SPDX-License-Identifier: MIT
import FoundationEssentials
import PNGShim
import Testing
import WICore
import WIPixels
@testable import WIPNG
import WITestKit

/// Cut, damaged and hostile files.
struct PNGDamageTests {
    private static func maker(_ colorType: Int, _ depth: Int, interlace: Int = 0) -> PNGMaker {
        var maker = PNGMaker(11, 9, depth: depth, colorType: colorType, interlace: interlace)
        maker.chunkSize = 90
        if colorType == 3 { maker.before = [("PLTE", (0..<30).map { UInt8($0 * 8) }), ("tRNS", [0, 128])] }
        return maker
    }

    static let files: [(name: String, file: Data)] = {
        var generator = SeededGenerator(seed: 11)
        let kinds = [(0, 1, 0), (3, 4, 0), (2, 8, 0), (6, 8, 0), (6, 16, 0), (4, 8, 1), (6, 8, 1), (3, 2, 1)]
        return kinds.map { kind in
            let maker = maker(kind.0, kind.1, interlace: kind.2)
            return (
                "type \(kind.0), depth \(kind.1), interlace \(kind.2)", maker.file(maker.noise(&generator))
            )
        }
    }()

    @Test("a file cut anywhere gives an error, or the rows that exist", arguments: files.indices)
    func everyCut(_ index: Int) throws {
        let file = Self.files[index].file
        let whole = try PNGDecoder(file, DecodeOptions()).decode(WorkContext())
        let expected = bytes(whole)
        var partial = 0
        for length in 0..<file.count {
            do {
                let image = try PNGDecoder(file.prefix(length), DecodeOptions()).decode(WorkContext())
                #expect(image.size == whole.size)
                let cut = bytes(image)
                if image.metadata.isPartial {
                    partial += 1
                    #expect(image.pixels.alphaMode == .straight && !image.metadata.warnings.isEmpty)
                    if !Self.files[index].name.contains("interlace 1") {
                        expectRows(cut, expected, image.size)
                    }
                } else {
                    // Nothing but IEND, or its checksum, is missing.
                    #expect(cut == expected && length >= file.count - 16, "length \(length)")
                }
            } catch {
                #expect([.truncatedData, .corruptData].contains(error.code), "length \(length): \(error)")
            }
        }
        #expect(partial > 0)
    }

    /// Each row is the file's, or missing: transparent and black; none is there below a missing one.
    private func expectRows(_ cut: [UInt8], _ whole: [UInt8], _ size: PixelSize) {
        let row = size.width * 4
        var isOver = false
        for y in 0..<size.height {
            let part = cut[y * row..<(y + 1) * row]
            if part.allSatisfy({ $0 == 0 }) {
                isOver = true
            } else {
                #expect(!isOver && part.elementsEqual(whole[y * row..<(y + 1) * row]))
            }
        }
    }

    @Test(
        "random damage never crashes: a typed error, or a picture of the stated size",
        arguments: files.indices)
    func randomDamage(_ index: Int) {
        var generator = SeededGenerator(seed: UInt64(index))
        let file = Self.files[index].file
        for _ in 0..<400 {
            var damaged = file
            for _ in 0...Int(generator.next() % 4) {
                damaged[Int(generator.next() % UInt64(file.count))] = UInt8(
                    truncatingIfNeeded: generator.next())
            }
            if generator.next() % 3 == 0 {
                damaged = damaged.prefix(Int(generator.next() % UInt64(file.count)))
            }
            var options = DecodeOptions()
            options.limits.pixels = 1_000_000
            do {
                let image = try PNGDecoder(damaged, options).decode(WorkContext())
                #expect(image.pixels.byteCount.bytes == image.size.width * image.size.height * 4)
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }

    @Test("damage with right checksums never crashes either: it reaches the inflater and the filters")
    func deepDamage() {
        var generator = SeededGenerator(seed: 5)
        for round in 0..<600 {
            let maker = Self.maker([0, 2, 3, 4, 6][round % 5], 8, interlace: round / 5 % 2)
            var rows = maker.noise(&generator)
            if round % 3 == 0 {
                rows[Int(generator.next() % UInt64(rows.count))] = UInt8(truncatingIfNeeded: generator.next())
            }
            if round % 4 == 0 { rows.removeLast(Int(generator.next() % UInt64(rows.count))) }
            if round % 7 == 0 { rows += [1, 2, 3] }
            var stream = PNGMaker.stored(rows)
            if round % 2 == 0 {
                stream[Int(generator.next() % UInt64(stream.count))] = UInt8(
                    truncatingIfNeeded: generator.next())
            }
            let file = maker.file(stream: stream)
            let whole = Result { try PNGDecoder(file, DecodeOptions()).decode(WorkContext()) }
            let library = Result {
                try PNGDecoder(file, DecodeOptions(), usesLibraryAlone: true).decode(WorkContext())
            }
            switch (whole, library) {
            case (.success(let a), .success(let b)): #expect(bytes(a) == bytes(b), "round \(round)")
            case (.failure, .failure): break
            default: Issue.record("round \(round): the two ways part")
            }
        }
    }

    @Test("a filter type that PNG does not have ends the picture at that row")
    func badFilter() throws {
        let maker = PNGMaker(2, 3)
        let file = maker.file([0, 1, 2, 3, 4, 5, 6, 0, 7, 8, 9, 1, 2, 3, 9, 0, 0, 0, 0, 0, 0])
        let image = try PNGCoder().decode(file, DecodeOptions(), WorkContext())
        #expect(image.metadata.isPartial)
        #expect(
            bytes(image) == [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 1, 2, 3, 255, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    /// Rows of 40 grays, as stored blocks, with a wrong sum behind them.
    private func wrongSum(interlace: Int) -> Data {
        let maker = PNGMaker(40, 50, colorType: 0, interlace: interlace)
        let count = interlace == 0 ? 50 * 41 : PNGMaker.interlacedSize(40, 50)
        var stream = PNGMaker.stored([UInt8](repeating: 0, count: count))
        stream[stream.count - 1] ^= 1
        return maker.file(stream: stream)
    }

    @Test(
        "data whose sum is wrong are all shown, and called damaged", arguments: [0, 1], [nil, 13] as [Int?])
    func sums(interlace: Int, side: Int?) throws {
        for format in [PixelFormat.rgba8, .rgba16] {
            var options = DecodeOptions()
            options.pixelFormat = format
            options.thumbnailSize = side.map { PixelSize(width: $0, height: $0) }
            let image = try PNGCoder().decode(wrongSum(interlace: interlace), options, WorkContext())
            #expect(image.metadata.isPartial)
            #expect(image.pixels.isOpaque(), "no row is missing")
            options[PNGDecoding.self].strictness = .strict
            let error = #expect(throws: ImageError.self) {
                try PNGCoder().decode(wrongSum(interlace: interlace), options, WorkContext())
            }
            #expect(error?.code == .corruptData)
        }
    }

    @Test(
        "a chunk whose checksum is wrong behind the last row takes no row with it",
        arguments: [nil, 13] as [Int?])
    func lastChecksum(side: Int?) throws {
        var file = PNGMaker(40, 50, colorType: 0).file([UInt8](repeating: 0, count: 50 * 41))
        file[file.count - 13] ^= 1
        var options = DecodeOptions()
        options.thumbnailSize = side.map { PixelSize(width: $0, height: $0) }
        let image = try PNGCoder().decode(file, options, WorkContext())
        #expect(image.metadata.isPartial)
        #expect(image.pixels.isOpaque())
    }

    @Test("a stated window that is too small for the data is not looked at", arguments: [0, 1])
    func windows(interlace: Int) throws {
        // Far repeats: the second half of the rows is the first again.
        var generator = SeededGenerator(seed: 9)
        let half = (0..<60 * 301).map { $0 % 301 == 0 ? 0 : UInt8.random(in: 0...255, using: &generator) }
        let rows =
            interlace == 0 ? half + half : [UInt8](repeating: 0, count: PNGMaker.interlacedSize(300, 120))
        var packed = [UInt8](repeating: 0, count: rows.count + 1000)
        packed.removeLast(packed.count - wi_png_deflate(rows, rows.count, &packed, packed.count))
        let maker = PNGMaker(300, 120, colorType: 0, interlace: interlace)
        let right = try PNGCoder().decode(maker.file(stream: packed), DecodeOptions(), WorkContext())
        // A window of 256 bytes, and the header's check made right again.
        packed.replaceSubrange(0..<2, with: [0x08, 0x1D])
        for byLibrary in [false, true] {
            let image = try PNGDecoder(
                maker.file(stream: packed), DecodeOptions(), usesLibraryAlone: byLibrary
            ).decode(WorkContext())
            #expect(!image.metadata.isPartial)
            #expect(bytes(image) == bytes(right))
        }
    }

    @Test("partial pictures are refused where that is asked for")
    func strict() throws {
        let file = Self.files[2].file
        var options = DecodeOptions()
        options[PNGDecoding.self].strictness = .strict
        _ = try PNGCoder().decode(file, options, WorkContext())
        let error = #expect(throws: ImageError.self) {
            try PNGCoder().decode(file.prefix(file.count - 60), options, WorkContext())
        }
        #expect(error?.code == .truncatedData)
    }

    @Test("a wrong checksum of an ancillary chunk is put up with, one of the header is not")
    func checksums() throws {
        var maker = PNGMaker(1, 1)
        maker.before = [("pHYs", PNGMaker.big32(2835) + PNGMaker.big32(2835) + [1])]
        var file = maker.file([0, 1, 2, 3])
        #expect(try PNGCoder().decode(file, DecodeOptions(), WorkContext()).metadata.density != nil)
        file[8 + 25 + 8] ^= 1
        let image = try PNGCoder().decode(file, DecodeOptions(), WorkContext())
        #expect(
            image.metadata.density == nil && image.metadata.warnings.count == 1 && !image.metadata.isPartial)
        #expect(bytes(image) == [1, 2, 3, 255])
        file[20] ^= 1
        let error = #expect(throws: ImageError.self) {
            try PNGCoder().decode(file, DecodeOptions(), WorkContext())
        }
        #expect(error?.code == .corruptData)
    }

    @Test("a header that claims too much is refused before memory is taken")
    func claims() throws {
        let file = PNGMaker(100_000, 100_000).file([0])
        for data in [file, file.prefix(40)] {
            let error = #expect(throws: ImageError.self) {
                try PNGCoder().decode(data, DecodeOptions(), WorkContext())
            }
            #expect(error?.code == .dimensionLimit)
            #expect(error?.message.contains("100000x100000") == true)
        }
    }

    @Test("a profile that unfolds beyond the limit is an error, text that does is left alone")
    func bombs() throws {
        var packed = [UInt8](repeating: 0, count: 1 << 20)
        let zeros = [UInt8](repeating: 0, count: 16 << 20)
        let size = wi_png_deflate(zeros, zeros.count, &packed, packed.count)
        let bomb = Array("x\0\0".utf8) + packed.prefix(size)
        var maker = PNGMaker(1, 1)
        maker.before = [("zTXt", bomb)]
        let image = try PNGCoder().decode(maker.file([0, 1, 2, 3]), DecodeOptions(), WorkContext())
        #expect(bytes(image) == [1, 2, 3, 255])
        maker.before = [("iCCP", bomb)]
        let error = #expect(throws: ImageError.self) {
            try PNGCoder().decode(maker.file([0, 1, 2, 3]), DecodeOptions(), WorkContext())
        }
        #expect(error?.code == .metadataLimit)
    }

    @Test("picture data that unfold to more than the header says are cut off", arguments: [0, 1])
    func dataBomb(interlace: Int) throws {
        var packed = [UInt8](repeating: 0, count: 1 << 20)
        let zeros = [UInt8](repeating: 0, count: 16 << 20)
        let size = wi_png_deflate(zeros, zeros.count, &packed, packed.count)
        let file = PNGMaker(4, 4, interlace: interlace).file(stream: Array(packed.prefix(size)))
        let image = try PNGCoder().decode(file, DecodeOptions(), WorkContext())
        #expect(image.size == PixelSize(width: 4, height: 4))
        #expect(bytes(image).enumerated().allSatisfy { $1 == ($0 % 4 == 3 ? 255 : 0) })
    }

    @Test("nobody waits for a picture that is no longer wanted", arguments: [false, true])
    func cancelled(byLibrary: Bool) throws {
        let flag = CancellationFlag()
        flag.raise()
        let error = #expect(throws: ImageError.self) {
            try PNGDecoder(Self.files[3].file, DecodeOptions(), usesLibraryAlone: byLibrary).decode(
                WorkContext(flag: flag))
        }
        #expect(error?.code == .cancelled)
        let picture = DecodedImage(pixels: try ImageFactory.gradient(40, 40))
        let second = #expect(throws: ImageError.self) {
            try PNGCoder().encode(picture, as: .png, EncodeOptions(), WorkContext(flag: flag))
        }
        #expect(second?.code == .cancelled)
    }

    @Test("who refuses partial pictures has a key of their own")
    func strictKey() {
        var options = DecodeOptions()
        let plain = options
        options[PNGDecoding.self].strictness = .strict
        #expect(options.keyParts == [KeyPart("png", "strict")])
        options[PNGDecoding.self].strictness = .lenient
        #expect(options.keyParts == plain.keyParts)
    }

    @Test("Apple's form is named, not guessed at")
    func apple() throws {
        var file = PNGMaker(1, 1).file([0, 1, 2, 3])
        file.insert(contentsOf: PNGMaker.chunk("CgBI", [0x50, 0, 0x20, 2]), at: 8)
        let error = #expect(throws: ImageError.self) {
            try PNGCoder().decode(file, DecodeOptions(), WorkContext())
        }
        #expect(error?.code == .unsupportedFeature)
    }

    private func bytes(_ image: DecodedImage) -> [UInt8] { image.pixels.withUnsafeBytes { Array($0) } }
}
