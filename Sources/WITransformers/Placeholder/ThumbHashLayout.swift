// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// A ThumbHash taken apart: one set of waves for brightness, two for colour, one for alpha.
struct ThumbHashLayout: Hashable, Sendable {
    /// Waves in a direction at most.
    static let mostWaves = 7

    struct Channel: Hashable, Sendable {
        var mean: Float
        var across: Int
        var down: Int
        /// Strengths of the waves but the constant one, in the order of ``ThumbHashLayout/waves(_:_:)``.
        var waves: [Float] = []
    }

    /// What the file says of the aspect ratio.
    let across: Int
    let down: Int
    let luma: Channel
    let yellow: Channel
    let red: Channel
    let alpha: Channel

    init(_ bytes: [UInt8]) throws(ImageError) {
        guard bytes.count >= 5 else { throw Self.truncated }
        let head = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        let tail = Int(bytes[3]) | Int(bytes[4]) << 8
        let hasAlpha = head >> 23 == 1
        let (long, short) = (hasAlpha ? 5 : 7, tail & 7)
        guard short > 0, short <= long else {
            throw ImageError(.corruptData, stage: .decode, "The bytes are no ThumbHash.")
        }
        let isLandscape = tail >> 15 == 1
        across = isLandscape ? long : short
        down = isLandscape ? short : long
        var nibbles = Nibbles(bytes, from: hasAlpha ? 6 : 5)
        luma = try nibbles.channel(
            Float(head & 63) / 63, max(3, across), max(3, down), scale: Float(head >> 18 & 31) / 31)
        yellow = try nibbles.channel(
            Float(head >> 6 & 63) / 31.5 - 1, 3, 3, scale: Float(tail >> 3 & 63) / 63 * 1.25)
        red = try nibbles.channel(
            Float(head >> 12 & 63) / 31.5 - 1, 3, 3, scale: Float(tail >> 9 & 63) / 63 * 1.25)
        if hasAlpha {
            guard bytes.count > 5 else { throw Self.truncated }
            alpha = try nibbles.channel(Float(bytes[5] & 15) / 15, 5, 5, scale: Float(bytes[5] >> 4) / 15)
        } else {
            alpha = Channel(mean: 1, across: 0, down: 0)
        }
    }

    static let truncated = ImageError(.truncatedData, stage: .decode, "The ThumbHash is cut.")

    /// The waves of a triangle of frequencies, in the order in which they are stored; the constant one comes first.
    static func waves(_ across: Int, _ down: Int) -> [(x: Int, y: Int)] {
        (0..<down).flatMap { y in
            (0..<across).filter { $0 * down < across * (down - y) }.map { ($0, y) }
        }
    }

    func color(_ x: Int, _ y: Int, _ across: CosineBasis, _ down: CosineBasis) -> PixelColor {
        func value(_ channel: Channel) -> Float {
            var sum = channel.mean
            for (strength, wave) in zip(channel.waves, Self.waves(channel.across, channel.down).dropFirst()) {
                sum += 2 * strength * across[wave.x, x] * down[wave.y, y]
            }
            return sum
        }
        return Self.color(value(luma), value(yellow), value(red), value(alpha))
    }

    /// From brightness, yellow against blue, red against green, and alpha.
    static func color(_ luma: Float, _ yellow: Float, _ red: Float, _ alpha: Float) -> PixelColor {
        let blue = luma - 2 / 3 * yellow
        let redPart = (3 * luma - blue + red) / 2
        return PixelColor(redPart, redPart - red, blue, alpha).clamped(lowerBound: .zero, upperBound: .one)
    }
}

/// Reads halves of bytes, the lower one first.
private struct Nibbles {
    private let bytes: [UInt8]
    private var next: Int

    init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        next = 2 * start
    }

    mutating func channel(
        _ mean: Float, _ across: Int, _ down: Int, scale: Float
    ) throws(ImageError) -> ThumbHashLayout.Channel {
        var channel = ThumbHashLayout.Channel(mean: mean, across: across, down: down)
        for _ in ThumbHashLayout.waves(across, down).dropFirst() {
            guard next / 2 < bytes.count else { throw ThumbHashLayout.truncated }
            let nibble = bytes[next / 2] >> (next % 2 * 4) & 15
            channel.waves.append((Float(nibble) / 7.5 - 1) * scale)
            next += 1
        }
        return channel
    }
}
