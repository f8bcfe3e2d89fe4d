// SPDX-License-Identifier: MIT
package import FoundationEssentials

/// The orientation in an EXIF block (a TIFF stream), read and rewritten. Only the first directory is looked at.
package enum EXIF {
    /// The orientation that the block states; nil when it states none, or a value that EXIF does not have.
    package static func orientation(in block: RawSpan) -> Orientation? {
        guard let (_, value) = find(in: block) else { return nil }
        return Orientation(rawValue: value)
    }

    /// The block with its orientation tag, where it has one, set to `orientation`.
    package static func settingOrientation(_ orientation: Orientation, in block: Data) -> Data {
        guard let (offset, _) = find(in: block.bytes) else { return block }
        var copy = block
        let isLittle = block.bytes.byte(0) == UInt8(ascii: "I")
        let start = copy.startIndex + offset
        copy[start] = isLittle ? UInt8(orientation.rawValue) : 0
        copy[start + 1] = isLittle ? 0 : UInt8(orientation.rawValue)
        return copy
    }

    /// Where the value of tag 0x0112 lies, and what it is.
    private static func find(in block: RawSpan) -> (offset: Int, value: Int)? {
        let isLittle: Bool
        if block.has("II", at: 0) {
            isLittle = true
        } else if block.has("MM", at: 0) {
            isLittle = false
        } else {
            return nil
        }
        func short(_ offset: Int) -> Int? { isLittle ? block.littleEndian16(offset) : block.bigEndian16(offset) }
        func long(_ offset: Int) -> Int? { isLittle ? block.littleEndian32(offset) : block.bigEndian32(offset) }
        guard short(2) == 42, let directory = long(4), let count = short(directory) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = short(entry) else { return nil }
            guard tag == 0x0112 else { continue }
            // SHORT, one of them, in the first half of the value field.
            guard short(entry + 2) == 3, long(entry + 4) == 1, let value = short(entry + 8) else { return nil }
            return (entry + 8, value)
        }
        return nil
    }
}
