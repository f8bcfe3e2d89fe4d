// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// Makes ThumbHashes.
enum ThumbHashEncoder {
    /// The bytes for a picture of at most 100 pixels a side.
    static func encode(_ pixels: PixelBuffer) -> [UInt8] {
        let colors = pixels.colors(as: .straight)
        let average = ColorPalette.average(of: colors)
        let hasAlpha = colors.contains { $0.w < 1 }
        let (width, height) = (Float(pixels.width), Float(pixels.height))
        let limit: Float = hasAlpha ? 5 : 7
        let across = max(1, Int((limit * width / max(width, height)).rounded()))
        let down = max(1, Int((limit * height / max(width, height)).rounded()))

        let shown = colors.map { color in
            var mixed = average * (1 - color.w) + color * color.w
            mixed.w = color.w
            return mixed
        }
        let channels = Channels(shown, pixels.size)
        let luma = channels.waves(max(3, across), max(3, down)) { ($0.x + $0.y + $0.z) / 3 }
        let yellow = channels.waves(3, 3) { ($0.x + $0.y) / 2 - $0.z }
        let red = channels.waves(3, 3) { $0.x - $0.y }
        let isLandscape = width > height
        let head =
            steps(luma.mean, 63) | steps(0.5 + yellow.mean / 2, 63) << 6 | steps(0.5 + red.mean / 2, 63) << 12
            | steps(luma.scale, 31) << 18 | (hasAlpha ? 1 : 0) << 23
        let tail =
            (isLandscape ? down : across) | steps(yellow.scale, 63) << 3 | steps(red.scale, 63) << 9
            | (isLandscape ? 1 : 0) << 15
        var bytes = [head & 255, head >> 8 & 255, head >> 16, tail & 255, tail >> 8].map(UInt8.init)
        var waves = luma.waves + yellow.waves + red.waves
        if hasAlpha {
            let alpha = channels.waves(5, 5) { $0.w }
            bytes.append(UInt8(steps(alpha.mean, 15) | steps(alpha.scale, 15) << 4))
            waves += alpha.waves
        }
        for pair in stride(from: 0, to: waves.count, by: 2) {
            let high = pair + 1 < waves.count ? steps(waves[pair + 1], 15) : 0
            bytes.append(UInt8(steps(waves[pair], 15) | high << 4))
        }
        return bytes
    }

    /// A value from 0 to 1 in whole steps.
    private static func steps(_ value: Float, _ most: Float) -> Int {
        Int(min(max(value, 0), 1) * most + 0.5)
    }
}

/// The pixels that channels are made of.
private struct Channels {
    private let colors: [PixelColor]
    private let size: PixelSize

    init(_ colors: [PixelColor], _ size: PixelSize) {
        self.colors = colors
        self.size = size
    }

    /// The mean of a channel, its strongest wave, and all its waves from 0 to 1 with 0.5 for none.
    func waves(
        _ across: Int, _ down: Int, _ value: (PixelColor) -> Float
    ) -> (mean: Float, scale: Float, waves: [Float]) {
        let values = colors.map(value)
        let columns = CosineBasis(across, length: size.width, offset: 0.5)
        let rows = CosineBasis(down, length: size.height, offset: 0.5)
        let strengths = ThumbHashLayout.waves(across, down).map { wave in
            var sum = 0.0
            for y in 0..<size.height {
                var row = 0.0
                for x in 0..<size.width { row += Double(values[y * size.width + x] * columns[wave.x, x]) }
                sum += row * Double(rows[wave.y, y])
            }
            return Float(sum / Double(values.count))
        }
        let scale = strengths.dropFirst().map(abs).max() ?? 0
        let waves = strengths.dropFirst().map { scale > 0 ? 0.5 + 0.5 / scale * $0 : 0 }
        return (strengths.first ?? 0, scale, waves)
    }
}
