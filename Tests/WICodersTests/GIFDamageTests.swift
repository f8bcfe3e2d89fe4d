// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIGIF
import WITestKit

/// Cut, damaged and hostile files.
struct GIFDamageTests {
    private let decode = GIFKindsTests.decode

    private static func noise(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 9)
        return (0..<count).map { _ in UInt8(generator.next() % 4) }
    }

    private static func file(interlaced: Bool) -> Data {
        var maker = GIFMaker(11, 9)
        maker.frame(0, 0, 11, 9, noise(99), interlaced: interlaced, blockSize: 20)
        return maker.file
    }

    @Test(arguments: [false, true])
    func `a file cut anywhere gives an error, or the rows that exist`(interlaced: Bool) throws {
        let file = Self.file(interlaced: interlaced)
        let whole = GIFKindsTests.bytes(try decode(file) { _ in })
        var partial = 0
        for length in 0..<file.count {
            do {
                let image = try decode(file.prefix(length)) { _ in }
                let cut = GIFKindsTests.bytes(image)
                guard image.metadata.isPartial else {
                    #expect(cut == whole)
                    continue
                }
                partial += 1
                #expect(image.pixels.alphaMode == .straight && !image.metadata.warnings.isEmpty)
                for pixel in stride(from: 0, to: cut.count, by: 4) where cut[pixel + 3] != 0 {
                    #expect(cut[pixel..<pixel + 4] == whole[pixel..<pixel + 4])
                }
                #expect(throws: ImageError.self) {
                    try decode(file.prefix(length)) { $0[GIFDecoding.self].strictness = .strict }
                }
            } catch let error as ImageError {
                #expect(error.code == .truncatedData, "length \(length): \(error)")
            }
        }
        #expect(partial > 20)
    }

    @Test func `a code that cannot be ends the picture at that pixel`() throws {
        var maker = GIFMaker(3, 1)
        maker.descriptor(0, 0, 3, 1)
        var codes = CodeWriter(codeSize: 2)
        for code in [4, 1, 7] { codes.put(code) }
        maker.bytes.append(2)
        maker.blocks(codes.finished)
        let image = try decode(maker.file) { _ in }
        #expect(GIFKindsTests.bytes(image) == GIFKindsTests.pixels([1, nil, nil]))
        #expect(image.metadata.isPartial)
        #expect(throws: ImageError.self) {
            try decode(maker.file) { $0[GIFDecoding.self].strictness = .strict }
        }
    }

    @Test func `data that end early leave the rest transparent, and no pixel at all is an error`() throws {
        var maker = GIFMaker(2, 2)
        maker.frame(0, 0, 2, 2, [1, 2, 3])
        let image = try decode(maker.file) { _ in }
        #expect(GIFKindsTests.bytes(image) == GIFKindsTests.pixels([1, 2, 3, nil]))
        #expect(image.metadata.isPartial && image.pixels.alphaMode == .straight)
        for codeSize: UInt8 in [0, 12, 255] {
            maker = GIFMaker(2, 2)
            maker.descriptor(0, 0, 2, 2)
            maker.bytes += [codeSize, 1, 0, 0]
            let error = #expect(throws: ImageError.self) { try decode(maker.file) { _ in } }
            #expect(error?.code == .corruptData)
        }
    }

    @Test func `a picture without a colour table is transparent and marked`() throws {
        var maker = GIFMaker(1, 1, palette: [])
        maker.frame(0, 0, 1, 1, [1])
        let image = try decode(maker.file) { _ in }
        #expect(GIFKindsTests.bytes(image) == [0, 0, 0, 0] && image.metadata.isPartial)
        #expect(throws: ImageError.self) {
            try decode(maker.file) { $0[GIFDecoding.self].strictness = .strict }
        }
    }

    @Test func `a file without a picture is an error, cut or not`() {
        let maker = GIFMaker(1, 1)
        let empty = #expect(throws: ImageError.self) {
            try GIFCoder().probe(maker.file.bytes, isComplete: false)
        }
        #expect(empty?.code == .corruptData)
        let cut = #expect(throws: ImageError.self) { try decode(Data(maker.bytes)) { _ in } }
        #expect(cut?.code == .truncatedData)
    }

    @Test func `limits hold before memory is taken`() throws {
        var maker = GIFMaker(65_535, 65_535)
        maker.frame(0, 0, 1, 1, [1])
        var error = #expect(throws: ImageError.self) { try decode(maker.file) { _ in } }
        #expect(error?.code == .dimensionLimit)
        maker = GIFMaker(1, 1)
        maker.frame(0, 0, 65_535, 65_535, [1])
        error = #expect(throws: ImageError.self) { try decode(maker.file) { _ in } }
        #expect(error?.code == .dimensionLimit)
        maker = GIFMaker(1, 1)
        for _ in 0..<5 { maker.frame(0, 0, 1, 1, [1]) }
        error = #expect(throws: ImageError.self) { try decode(maker.file) { $0.limits.frames = 4 } }
        #expect(error?.code == .frameLimit)
        _ = try decode(maker.file) {
            $0.limits.frames = 4
            $0.firstFrameOnly = true
        }
    }

    @Test func `work that nobody wants ends with cancelled`() throws {
        let flag = CancellationFlag()
        flag.raise()
        let error = #expect(throws: ImageError.self) {
            try GIFCoder().decode(Self.file(interlaced: false), DecodeOptions(), WorkContext(flag: flag))
        }
        #expect(error?.code == .cancelled)
    }

    @Test func `random damage never crashes: a typed error, or a picture of the stated size`() {
        var generator = SeededGenerator(seed: 21)
        for round in 0..<1500 {
            var damaged = Self.file(interlaced: round % 2 == 0)
            for _ in 0...Int(generator.next() % 4) {
                damaged[6 + Int(generator.next() % UInt64(damaged.count - 6))] = UInt8(
                    truncatingIfNeeded: generator.next())
            }
            if generator.next() % 3 == 0 {
                damaged = damaged.prefix(Int(generator.next() % UInt64(damaged.count)))
            }
            do {
                let image = try decode(damaged) {
                    $0.limits.pixels = 1_000_000
                    if round % 3 == 0 { $0.thumbnailSize = PixelSize(width: 5, height: 5) }
                }
                #expect(image.pixels.byteCount.bytes == image.size.width * image.size.height * 4)
            } catch {
                #expect(error is ImageError)
            }
        }
    }

    @Test func `strict requests have a key of their own`() {
        #expect(GIFDecoding().keyPart == nil)
        var strict = GIFDecoding()
        strict.strictness = .strict
        #expect(strict.keyPart != nil)
    }
}
