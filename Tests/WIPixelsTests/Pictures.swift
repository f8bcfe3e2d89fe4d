// SPDX-License-Identifier: MIT
import WICore

@testable import WIPixels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Numbers that look random and are the same in every run (the finaliser of SplitMix64).
struct Noise: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A picture whose samples are what `sample` says of x, y and channel.
func picture(
    _ width: Int, _ height: Int, _ format: PixelFormat = .rgba8, _ alphaMode: AlphaMode = .opaque,
    sample: (Int, Int, Int) -> Int
) throws -> PixelBuffer {
    var pixels = try MutablePixels(width: width, height: height, format: format, alphaMode: alphaMode)
    pixels.withUnsafeMutableBytes { bytes in
        for index in 0..<width * height * 4 {
            let value = sample(index / 4 % width, index / 4 / width, index % 4)
            if format.bitsPerChannel == 8 {
                bytes[index] = UInt8(value)
            } else {
                bytes.storeBytes(of: UInt16(value), toByteOffset: 2 * index, as: UInt16.self)
            }
        }
    }
    return pixels.publish()
}

/// Noise in the three colours; alpha is what the mode allows.
func noise(
    _ width: Int, _ height: Int, _ format: PixelFormat = .rgba8, _ alphaMode: AlphaMode = .opaque,
    seed: UInt64 = 1
) throws -> PixelBuffer {
    var random = Noise(seed)
    var pixels = try MutablePixels(width: width, height: height, format: format, alphaMode: .straight)
    pixels.withUnsafeMutableBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: format.bytesPerPixel) {
            var pixel = random.next()
            if format.bitsPerChannel == 8 {
                if alphaMode == .opaque { pixel |= 0xFF00_0000 }
                bytes.storeBytes(
                    of: UInt32(truncatingIfNeeded: pixel).littleEndian, toByteOffset: start, as: UInt32.self)
            } else {
                if alphaMode == .opaque { pixel |= 0xFFFF << 48 }
                bytes.storeBytes(of: pixel.littleEndian, toByteOffset: start, as: UInt64.self)
            }
        }
    }
    let straight = pixels.publish()
    return try alphaMode == .premultiplied
        ? straight.converted(to: format, alphaMode: .premultiplied) : straight.relabelled(alphaMode)
}

/// Whether two pictures have the same size, format and bytes.
func same(_ left: PixelBuffer, _ right: PixelBuffer) -> Bool {
    guard left.size == right.size, left.format == right.format else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            guard let a = left.baseAddress, let b = right.baseAddress else { return false }
            return left.count == right.count && memcmp(a, b, left.count) == 0
        }
    }
}

extension PixelBuffer {
    /// All samples, row by row.
    var samples: [Int] {
        withUnsafeBytes { bytes in
            (0..<width * height * 4).map { index in
                format.bitsPerChannel == 8
                    ? Int(bytes[index]) : Int(bytes.load(fromByteOffset: 2 * index, as: UInt16.self))
            }
        }
    }

    /// The four samples of one pixel.
    func pixel(_ x: Int, _ y: Int) -> [Int] { Array(samples[(y * width + x) * 4..<(y * width + x) * 4 + 4]) }
}

let allFormats: [PixelFormat] = [.rgba8, .bgra8, .rgba16]
let allModes: [AlphaMode] = [.opaque, .straight, .premultiplied]
