// SPDX-License-Identifier: MIT
package import WICore
internal import XXHashShim

/// The file name of a key: XXH3-128 of its text, in 32 hexadecimal digits.
package struct EntryDigest: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Hexadecimal digits of a digest.
    package static let length = 32

    package init(_ key: CacheKey) {
        var text = key.text
        var bytes: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &bytes) { digest in
            text.withUTF8 { source in
                wi_hash128(
                    source.baseAddress, source.count, digest.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
        }
        (high, low) = (UInt64(bigEndian: bytes.0), UInt64(bigEndian: bytes.1))
    }

    /// 32 lower-case hexadecimal digits.
    package var text: String {
        String(unsafeUninitializedCapacity: Self.length) { text in
            guard let start = text.baseAddress else { return 0 }
            write(to: start)
            return Self.length
        }
    }

    /// Writes the 32 digits in ASCII.
    package func write(to digits: UnsafeMutablePointer<UInt8>) {
        Self.write(high, to: digits)
        Self.write(low, to: digits + 16)
    }

    private static func write(_ half: UInt64, to digits: UnsafeMutablePointer<UInt8>) {
        var rest = half
        for index in stride(from: 15, through: 0, by: -1) {
            let value = UInt8(truncatingIfNeeded: rest) & 15
            digits[index] = value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
            rest >>= 4
        }
    }

    /// The first byte: which of 256 shards the entry is in.
    package var shard: Int { Int(high >> 56) }

    /// The name of the shard's folder: two hexadecimal digits.
    package var shardName: Substring { text.prefix(2) }
}
