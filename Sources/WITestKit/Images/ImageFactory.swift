// SPDX-License-Identifier: MIT
package import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Pictures made by code, the same in every run: RGBA of 8 bits, tightly packed.
package enum ImageFactory {
    /// A picture whose every byte is computed: `channel` is 0 for red to 3 for alpha.
    package static func picture(
        _ width: Int, _ height: Int, alphaMode: AlphaMode = .opaque,
        _ value: (_ x: Int, _ y: Int, _ channel: Int) -> UInt8
    ) throws(ImageError) -> PixelBuffer {
        var pixels = try MutablePixels(width: width, height: height, alphaMode: alphaMode)
        pixels.withUnsafeMutableBytes { bytes in
            var offset = 0
            for y in 0..<height {
                for x in 0..<width {
                    for channel in 0..<4 { bytes[offset + channel] = value(x, y, channel) }
                    offset += 4
                }
            }
        }
        return pixels.publish()
    }

    /// One opaque colour.
    package static func solid(
        _ width: Int, _ height: Int, _ red: UInt8, _ green: UInt8, _ blue: UInt8
    ) throws(ImageError) -> PixelBuffer {
        try picture(width, height) { _, _, channel in [red, green, blue, 255][channel] }
    }

    /// Red grows to the right, green downwards, blue falls along the diagonal.
    package static func gradient(_ width: Int, _ height: Int) throws(ImageError) -> PixelBuffer {
        let (right, bottom) = (max(1, width - 1), max(1, height - 1))
        return try picture(width, height) { x, y, channel in
            switch channel {
            case 0: UInt8(x * 255 / right)
            case 1: UInt8(y * 255 / bottom)
            case 2: UInt8(255 - (x * 255 / right + y * 255 / bottom) / 2)
            default: 255
            }
        }
    }

    /// Black and white squares.
    package static func checker(_ width: Int, _ height: Int, cell: Int = 8) throws(ImageError) -> PixelBuffer
    {
        try picture(width, height) { x, y, channel in
            channel == 3 || (x / max(1, cell) + y / max(1, cell)).isMultiple(of: 2) ? 255 : 0
        }
    }

    /// Independent random bytes in red, green and blue, and in alpha where the picture is not to be opaque.
    package static func noise(
        _ width: Int, _ height: Int, seed: UInt64, alphaMode: AlphaMode = .opaque
    ) throws(ImageError) -> PixelBuffer {
        var generator = SeededGenerator(seed: seed)
        return try picture(width, height, alphaMode: alphaMode) { _, _, channel in
            channel == 3 && alphaMode == .opaque ? 255 : UInt8(truncatingIfNeeded: generator.next())
        }
    }

    /// Alpha from 0 at the left edge to 255 at the right one, with colours that differ where it is 0 too.
    package static func transparency(_ width: Int, _ height: Int) throws(ImageError) -> PixelBuffer {
        let right = max(1, width - 1)
        return try picture(width, height, alphaMode: .straight) { x, y, channel in
            switch channel {
            case 0: UInt8(truncatingIfNeeded: y * 5)
            case 1: UInt8(truncatingIfNeeded: 200 - x)
            case 2: 80
            default: UInt8(x * 255 / right)
            }
        }
    }

    /// Few colours and sharp edges, as in a screenshot: dark lines of words on white.
    package static func textLike(_ width: Int, _ height: Int, seed: UInt64 = 1) throws(ImageError)
        -> PixelBuffer
    {
        var generator = SeededGenerator(seed: seed)
        var canvas = try Canvas(width: width, height: height, .white)
        var y: Float = 6
        while y + 6 < Float(height) {
            var x: Float = 6
            while true {
                let length = 8 + generator.unit() * 40
                guard x + length < Float(width) - 6 else { break }
                canvas.draw(.rounded(Box(x, y, length, 5), 1), Ink(0x2b2f38))
                x += length + 6
            }
            y += 11
        }
        return canvas.publish(isOpaque: true)
    }

    /// Soft shapes, shadows and grain, so that it compresses as a photograph does.
    package static func photoLike(_ width: Int, _ height: Int, seed: UInt64 = 1) throws(ImageError)
        -> PixelBuffer
    {
        var generator = SeededGenerator(seed: seed)
        let waves = (0..<6).map { index -> (x: Float, y: Float, phase: Float, part: Float) in
            let frequency = Float(1 << (index / 2 + 1)) * 3 / Float(max(width, height))
            return (
                (generator.unit() - 0.5) * frequency, (generator.unit() - 0.5) * frequency,
                generator.unit() * 2 * .pi, 1 / Float(index + 2)
            )
        }
        var grain: Float = 0
        return try picture(width, height) { x, y, channel in
            guard channel < 3 else { return 255 }
            if channel == 0 { grain = (generator.unit() - 0.5) * 14 }
            var sum: Float = 0
            for wave in waves {
                let place = Float(x) * wave.x + Float(y) * wave.y
                sum += sinf(place * 2 * .pi + wave.phase + Float(channel) * 0.5) * wave.part
            }
            return UInt8(max(0, min(255, 128 + sum * 80 + grain)))
        }
    }

    /// The picture as a file of `coder`'s.
    ///
    /// - Throws: what the coder throws.
    package static func encoded(
        _ pixels: PixelBuffer, _ format: ImageFormat, by coder: any ImageCoder,
        _ options: EncodeOptions = EncodeOptions()
    ) throws -> [UInt8] {
        let image = DecodedImage(pixels: pixels, format: format)
        return Array(try coder.encode(image, as: format, options, WorkContext()))
    }
}
