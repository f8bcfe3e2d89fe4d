// SPDX-License-Identifier: MIT

/// SHA-256 (FIPS 180-4), so that tests can compare pixels with published digests.
package struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19,
    ]
    private var schedule = [UInt32](repeating: 0, count: 64)

    private init() {}

    /// The digest of `bytes` in lower-case hexadecimal.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let array = Array(bytes)
        return array.withUnsafeBytes { hex($0) }
    }

    /// The digest of a block of memory in lower-case hexadecimal.
    package static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
        var hash = SHA256()
        let whole = bytes.count / 64 * 64
        for start in stride(from: 0, to: whole, by: 64) {
            hash.absorb(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]))
        }
        var tail = Array(bytes[whole...]) + [0x80]
        tail += [UInt8](repeating: 0, count: (120 - tail.count % 64) % 64)
        let bits = UInt64(bytes.count) * 8
        tail += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
        tail.withUnsafeBytes { tail in
            for start in stride(from: 0, to: tail.count, by: 64) {
                hash.absorb(UnsafeRawBufferPointer(rebasing: tail[start..<start + 64]))
            }
        }
        return hash.state.map(Self.hex).joined()
    }

    private static func hex(_ word: UInt32) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private mutating func absorb(_ block: UnsafeRawBufferPointer) {
        schedule.withUnsafeMutableBufferPointer { w in
            for index in 0..<16 {
                w[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            }
            for index in 16..<64 {
                let near = w[index - 2]
                let far = w[index - 15]
                let low = Self.rotate(far, 7) ^ Self.rotate(far, 18) ^ (far >> 3)
                let high = Self.rotate(near, 17) ^ Self.rotate(near, 19) ^ (near >> 10)
                w[index] = w[index - 16] &+ low &+ w[index - 7] &+ high
            }
        }
        mix()
    }

    private mutating func mix() {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        Self.constants.withUnsafeBufferPointer { k in
            schedule.withUnsafeBufferPointer { w in
                for index in 0..<64 {
                    let high = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
                    let first = h &+ high &+ ((e & f) ^ (~e & g)) &+ k[index] &+ w[index]
                    let low = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
                    let second = low &+ ((a & b) ^ (a & c) ^ (b & c))
                    (h, g, f, e) = (g, f, e, d &+ first)
                    (d, c, b, a) = (c, b, a, first &+ second)
                }
            }
        }
        let mixed = [a, b, c, d, e, f, g, h]
        for index in 0..<8 { state[index] &+= mixed[index] }
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word >> count) | (word << (32 - count))
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        var primes: [Int] = []
        var candidate = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map(cubeRootFraction)
    }()

    /// floor(cbrt(prime) * 2^32) modulo 2^32, by integer bisection: exact where floating point would not be.
    private static func cubeRootFraction(_ prime: Int) -> UInt32 {
        var low: UInt64 = 0
        var high: UInt64 = 1 << 35
        while high - low > 1 {
            let middle = (low + high) / 2
            if isCube(of: middle, atMost: prime) { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }

    /// Whether (value / 2^32)^3 is at most `prime`, in 128-bit arithmetic.
    private static func isCube(of value: UInt64, atMost prime: Int) -> Bool {
        let wide = UInt128(value)
        return wide * wide * wide <= UInt128(prime) << 96
    }
}
