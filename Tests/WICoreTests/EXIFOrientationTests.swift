// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore

@Suite struct EXIFOrientationTests {
    /// Little endian, two entries: the width and the orientation.
    private let block: [UInt8] = [
        0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0,
        0x00, 0x01, 3, 0, 1, 0, 0, 0, 9, 0, 0, 0,
        0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0,
        0, 0, 0, 0,
    ]
    private let valueOffset = 30

    private func read(_ bytes: [UInt8]) -> Orientation? {
        EXIFOrientation.orientation(inTIFF: bytes.span.bytes)
    }

    @Test func bothByteOrdersAreRead() {
        #expect(read(block) == .right)
        let big: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0,
        ]
        #expect(read(big) == .left)
    }

    @Test func whatIsNoOrientationIsNone() {
        for (place, value) in [
            (0, 0x50), (2, 43), (4, 200), (22, 0x13), (24, 7), (26, 0), (30, 0), (30, 9), (31, 1),
        ] {
            var changed = block
            changed[place] = UInt8(value)
            #expect(read(changed) == nil, "byte \(place) is \(value)")
        }
    }

    @Test func everyCutBlockIsRead() {
        for count in 0..<block.count {
            let expected: Orientation? = count >= valueOffset + 2 ? .right : nil
            #expect(read(Array(block.prefix(count))) == expected, "\(count) bytes")
        }
    }

    @Test func offsetsBeyondTheBlockReadNothing() {
        for offset: UInt32 in [0xFFFF_FFFF, 0xFFFF_FFFE, 0x8000_0000, 37, 38] {
            var changed = block
            for index in 0..<4 {
                changed[4 + index] = UInt8(truncatingIfNeeded: offset >> (8 * UInt32(index)))
            }
            #expect(read(changed) == nil)
        }
    }

    @Test func rewritingChangesTheOrientationAlone() {
        let rewritten = EXIFOrientation.rewriting(Data(block), to: .up)
        var expected = block
        expected[valueOffset] = 1
        #expect(rewritten == Data(expected))
        #expect(EXIFOrientation.rewriting(Data([1, 2, 3]), to: .up) == Data([1, 2, 3]))
        // An illegal value is made true also.
        var illegal = block
        illegal[valueOffset + 1] = 7
        #expect(EXIFOrientation.rewriting(Data(illegal), to: .down)[valueOffset] == 3)
        #expect(EXIFOrientation.rewriting(Data(illegal), to: .down)[valueOffset + 1] == 0)
    }

    @Test func aSliceOfDataIsRewrittenInPlace() {
        let slice = Data([0, 0, 0] + block).dropFirst(3)
        #expect(Array(EXIFOrientation.rewriting(slice, to: .up))[valueOffset] == 1)
    }
}
