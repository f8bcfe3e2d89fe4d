// SPDX-License-Identifier: MIT
internal import WICore

/// Where the parts of a trailer lie, told from the last bytes of a file.
struct TrailerFrame {
    static let headLength = 12
    static let footerLength = 32
    private static let shortest = headLength + footerLength

    /// Offsets in the bytes that were given.
    let start: Int
    let fields: Range<Int>
    let checksum: UInt64

    /// Bytes of the trailer that `tail` ends with; nil where it ends with none.
    static func length(endOf tail: RawSpan) -> Int? {
        let end = tail.byteCount
        guard end >= footerLength, tail.has("WIENTRY1", at: end - 8),
            let size = tail.littleEndian32(end - 16),
            tail.littleEndian32(end - 12) == 0, size >= shortest
        else { return nil }
        return size
    }

    /// - Parameters:
    ///   - tail: the last bytes of the file, the whole trailer among them.
    ///   - fileSize: bytes of the whole file.
    init(_ tail: RawSpan, fileSize: Int) throws(EntryFile.Fault) {
        let end = tail.byteCount
        guard let size = Self.length(endOf: tail), size <= end, size <= fileSize,
            tail.bigEndian32(end - size) == size, tail.has("free", at: end - size + 4)
        else { throw .noTrailer }
        start = end - size
        guard tail.littleEndian16(start + 8) == EntryFile.version else { throw .unknownVersion }
        guard tail.littleEndian64(end - 32) == UInt64(fileSize - size),
            let checksum = tail.littleEndian64(end - 24)
        else { throw .malformed }
        self.checksum = checksum
        fields = start + Self.headLength..<end - Self.footerLength
    }
}
