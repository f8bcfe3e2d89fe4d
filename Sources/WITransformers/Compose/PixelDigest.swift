// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// What tells pictures apart in keys: 128 bits over size, format and every pixel. No defence against who forges them.
struct PixelDigest: Hashable, Sendable, CustomStringConvertible {
    private var high: UInt64 = 0xCBF2_9CE4_8422_2325
    private var low: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(_ pixels: PixelBuffer) {
        add(
            "\(pixels.size) \(pixels.format) \(pixels.alphaMode.rawValue)".utf8.reduce(0) {
                $0 &* 31 &+ UInt64($1)
            })
        let rowBytes = pixels.width * pixels.format.bytesPerPixel
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height {
                let row = UnsafeRawBufferPointer(
                    rebasing: bytes[y * pixels.bytesPerRow..<y * pixels.bytesPerRow + rowBytes])
                for word in stride(from: 0, to: rowBytes, by: 4) {
                    add(UInt64(row.loadUnaligned(fromByteOffset: word, as: UInt32.self).littleEndian))
                }
            }
        }
    }

    /// Two chains with multipliers of their own, each carrying what it mixed into its low bits.
    private mutating func add(_ word: UInt64) {
        high = (high ^ word) &* 0x0000_0100_0000_01B3
        high ^= high >> 29
        low = (low &+ word) &* 0xBF58_476D_1CE4_E5B9
        low ^= low >> 32
    }

    var description: String { String(high, radix: 16) + "/" + String(low, radix: 16) }
}
