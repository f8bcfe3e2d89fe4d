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
            for index in 0..<Self.length { text[index] = digit(index) }
            return Self.length
        }
    }

    /// One of the 32 digits, in ASCII.
    package func digit(_ index: Int) -> UInt8 {
        let half = index < 16 ? high : low
        let value = UInt8(truncatingIfNeeded: half &>> (60 - 4 * (index & 15))) & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// The first byte: which of 256 shards the entry is in.
    package var shard: Int { Int(high >> 56) }

    /// The name of the shard's folder: two hexadecimal digits.
    package var shardName: Substring { text.prefix(2) }
}
