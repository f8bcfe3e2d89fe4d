// SPDX-License-Identifier: MIT

extension RawSpan {
    /// The byte at `offset`; nil outside the bytes.
    package func byte(_ offset: Int) -> UInt8? {
        guard offset >= 0, offset < byteCount else { return nil }
        return unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Two bytes, most significant first; nil outside the bytes.
    package func bigEndian16(_ offset: Int) -> Int? {
        guard offset >= 0, offset <= byteCount - 2 else { return nil }
        return Int(UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// Two bytes, least significant first; nil outside the bytes.
    package func littleEndian16(_ offset: Int) -> Int? {
        guard offset >= 0, offset <= byteCount - 2 else { return nil }
        return Int(UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// Four bytes, most significant first; nil outside the bytes.
    package func bigEndian32(_ offset: Int) -> Int? {
        guard offset >= 0, offset <= byteCount - 4 else { return nil }
        return Int(UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Four bytes, least significant first; nil outside the bytes.
    package func littleEndian32(_ offset: Int) -> Int? {
        guard offset >= 0, offset <= byteCount - 4 else { return nil }
        return Int(UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Whether the bytes from `offset` on begin with `text`.
    package func has(_ text: StaticString, at offset: Int) -> Bool {
        guard offset >= 0, offset <= byteCount - text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { wanted in
            wanted.indices.allSatisfy {
                unsafeLoad(fromByteOffset: offset + $0, as: UInt8.self) == wanted[$0]
            }
        }
    }
}
