// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIGIF
import WITestKit

/// The expansion of LZW codes, against a plain one that keeps every string.
struct GIFExpanderTests {
    /// Codes, and the pixels that they stand for.
    private struct Codes {
        private var writer = CodeWriter(codeSize: 4)
        private var strings: [[UInt8]] = []
        private var previous: [UInt8]?
        private(set) var pixels = Data()
        var bytes: [UInt8] { writer.finished }
        var isFull: Bool { strings.count >= 4096 }

        mutating func clear() {
            writer.put(16)
            strings = (0..<18).map { $0 < 16 ? [UInt8($0)] : [] }
            previous = nil
        }

        /// The code of the string that comes next in the table, where there may be one.
        var upcoming: Int? { previous == nil || isFull ? nil : strings.count }

        mutating func put(_ code: Int) {
            writer.put(code)
            if let previous, !isFull {
                let string = code == strings.count ? previous : strings[code]
                strings.append(previous + string.prefix(1))
            }
            previous = strings[code]
            pixels += strings[code]
        }
    }

    private func expanded(_ codes: Codes, _ width: Int, _ height: Int) throws -> (Data, GIFExpander.Ending) {
        var maker = GIFMaker(width, height)
        maker.descriptor(0, 0, width, height)
        maker.bytes.append(4)
        maker.blocks(codes.bytes, blockSize: 251)
        let file = maker.file
        var head = GIFHead()
        _ = try head.read(file.bytes)
        let frame = try #require(head.frames.first)
        let expander = try GIFExpander()
        var pixels = Data()
        let ending = try file.bytes.withUnsafeBytes { file throws(ImageError) in
            try expander.expand(frame, of: file, visibleRows: height, WorkContext()) {
                pixels += UnsafeBufferPointer(start: $1, count: $2)
            }
        }
        return (pixels, ending)
    }

    @Test func `random codes give their strings, whether the table is cleared or stays full`() throws {
        var generator = SeededGenerator(seed: 1)
        for round in 0..<40 {
            var codes = Codes()
            codes.clear()
            while codes.pixels.count < 200 * 90 {
                if let upcoming = codes.upcoming, generator.next() % 8 == 0 {
                    codes.put(upcoming)
                } else if let upcoming = codes.upcoming, upcoming > 18, generator.next() % 2 == 0 {
                    codes.put(18 + Int(generator.next() % UInt64(upcoming - 18)))
                } else {
                    codes.put(Int(generator.next() % 16))
                }
                if generator.next() % UInt64(1 + round * 200) == 0 { codes.clear() }
            }
            let (pixels, ending) = try expanded(codes, 200, 90)
            #expect(pixels == codes.pixels.prefix(200 * 90) && !ending.isIncomplete)
        }
    }

    @Test func `a frame larger than what is held of it gives its pixels, however long the strings`() throws {
        var generator = SeededGenerator(seed: 2)
        let (width, height) = (65_535, 600)
        for keepsTable in [false, true] {
            var codes = Codes()
            codes.clear()
            codes.put(3)
            while codes.pixels.count < width * height {
                if let upcoming = codes.upcoming {
                    // Each string is one longer than the one before: the table needs all that was expanded.
                    codes.put(generator.next() % 200 == 0 ? Int(generator.next() % 16) : upcoming)
                } else if keepsTable {
                    codes.put(18 + Int(generator.next() % 4078))
                } else {
                    codes.clear()
                    codes.put(Int(generator.next() % 16))
                }
            }
            let (pixels, ending) = try expanded(codes, width, height)
            #expect(pixels == codes.pixels.prefix(width * height) && !ending.isIncomplete)
        }
    }
}
