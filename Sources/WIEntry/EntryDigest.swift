// SPDX-License-Identifier: MIT
package import WICore
internal import XXHashShim

/// The file name of a key: XXH3-128 of its text, in 32 hexadecimal digits.
package struct EntryDigest: Hashable, Sendable {
    /// 32 lower-case hexadecimal digits.
    package let text: String
    /// The first byte: which of 256 shards the entry is in.
    package let shard: Int

    package init(_ key: CacheKey) {
        var text = key.text
        var bytes: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &bytes) { digest in
            text.withUTF8 { source in
                wi_hash128(
                    source.baseAddress, source.count, digest.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
        }
        (self.text, shard) = withUnsafeBytes(of: bytes) { digest in (Self.hexadecimal(digest), Int(digest[0]))
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for index in bytes.indices {
                text[2 * index] = digits[Int(bytes[index] >> 4)]
                text[2 * index + 1] = digits[Int(bytes[index] & 15)]
            }
            return 2 * bytes.count
        }
    }

    /// The name of the shard's folder: two hexadecimal digits.
    package var shardName: Substring { text.prefix(2) }
}
