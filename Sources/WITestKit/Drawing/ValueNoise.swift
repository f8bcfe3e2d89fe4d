// SPDX-License-Identifier: MIT

/// Smooth noise by place, from 0 to 1: the outlines of hills, clouds, grain.
///
/// It is the same for the same seed.
package struct ValueNoise: Sendable {
    private let seed: UInt32

    package init(seed: UInt32) { self.seed = seed &* 0x9e37_79b9 }

    private func lattice(_ x: Int32, _ y: Int32) -> Float {
        var hash = seed ^ (UInt32(bitPattern: x) &* 0x85eb_ca6b) ^ (UInt32(bitPattern: y) &* 0xc2b2_ae35)
        hash = (hash ^ (hash >> 15)) &* 0x2c1b_3c6d
        hash = (hash ^ (hash >> 12)) &* 0x297a_2d39
        return Float((hash ^ (hash >> 15)) >> 8) / 16_777_216
    }

    /// One octave: a random number at each whole place, smooth between them.
    package func at(_ x: Float, _ y: Float = 0) -> Float {
        let (floorX, floorY) = (x.rounded(.down), y.rounded(.down))
        let (left, top) = (Int32(floorX), Int32(floorY))
        let (partX, partY) = (Self.smooth(x - floorX), Self.smooth(y - floorY))
        let upper = lattice(left, top) * (1 - partX) + lattice(left + 1, top) * partX
        let lower = lattice(left, top + 1) * (1 - partX) + lattice(left + 1, top + 1) * partX
        return upper * (1 - partY) + lower * partY
    }

    /// Several octaves, each of twice the frequency and half the height.
    package func fractal(_ x: Float, _ y: Float = 0, octaves: Int) -> Float {
        var (sum, total, height, frequency): (Float, Float, Float, Float) = (0, 0, 1, 1)
        for octave in 0..<octaves {
            sum += at(x * frequency + Float(octave) * 17.3, y * frequency + Float(octave) * 9.1) * height
            total += height
            height /= 2
            frequency *= 2
        }
        return total > 0 ? sum / total : 0
    }

    private static func smooth(_ part: Float) -> Float { part * part * (3 - 2 * part) }
}
