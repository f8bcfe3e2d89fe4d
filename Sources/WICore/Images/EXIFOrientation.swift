// SPDX-License-Identifier: MIT
package import FoundationEssentials

/// The orientation tag (0x0112) in the first image file directory of an EXIF block.
///
/// An EXIF block is a TIFF stream (TIFF 6.0, section 2) without the `Exif\0\0` that JPEG puts before it.
/// Nothing outside the block is read, whatever its offsets say.
package enum EXIFOrientation {
    private static let tag = 0x0112
    private static let typeShort = 3
    private static let typeLong = 4

    /// The orientation that the block states; nil when there is none, or it is no value of ``Orientation``.
    package static func orientation(inTIFF block: RawSpan) -> Orientation? {
        guard let entry = entry(in: block) else { return nil }
        return Orientation(rawValue: entry.value)
    }

    /// The block with its orientation replaced; the same block when it states none.
    ///
    /// Metadata describe the pixels that are handed over: once they are turned, the block must say `up`.
    package static func rewriting(_ block: Data, to orientation: Orientation) -> Data {
        guard let entry = block.withUnsafeBytes({ entry(in: RawSpan(_unsafeBytes: $0)) }) else {
            return block
        }
        var copy = Data(block)
        let value = UInt8(orientation.rawValue)
        let width = entry.isLong ? 4 : 2
        for index in 0..<width {
            let isLowest = index == (entry.isBigEndian ? width - 1 : 0)
            copy[copy.startIndex + entry.valueOffset + index] = isLowest ? value : 0
        }
        return copy
    }

    private struct Entry {
        var value: Int
        var valueOffset: Int
        var isLong: Bool
        var isBigEndian: Bool
    }

    private static func entry(in block: RawSpan) -> Entry? {
        let isBigEndian: Bool
        switch (block.byte(0), block.byte(1)) {
        case (0x4d, 0x4d): isBigEndian = true
        case (0x49, 0x49): isBigEndian = false
        default: return nil
        }
        guard block.short(at: 2, isBigEndian) == 42, let directory = block.long(at: 4, isBigEndian),
            let count = block.short(at: directory, isBigEndian)
        else { return nil }
        for index in 0..<count {
            let start = directory + 2 + index * 12
            guard let found = block.short(at: start, isBigEndian) else { return nil }
            if found == tag { return entry(at: start, in: block, isBigEndian) }
        }
        return nil
    }

    private static func entry(at start: Int, in block: RawSpan, _ isBigEndian: Bool) -> Entry? {
        guard let type = block.short(at: start + 2, isBigEndian),
            let values = block.long(at: start + 4, isBigEndian), values >= 1,
            type == typeShort || type == typeLong,
            let value = type == typeLong
                ? block.long(at: start + 8, isBigEndian) : block.short(at: start + 8, isBigEndian)
        else { return nil }
        return Entry(
            value: value, valueOffset: start + 8, isLong: type == typeLong, isBigEndian: isBigEndian)
    }
}

extension RawSpan {
    fileprivate func short(at offset: Int, _ isBigEndian: Bool) -> Int? {
        isBigEndian ? bigEndian16(offset) : littleEndian16(offset)
    }

    fileprivate func long(at offset: Int, _ isBigEndian: Bool) -> Int? {
        isBigEndian ? bigEndian32(offset) : littleEndian32(offset)
    }
}
