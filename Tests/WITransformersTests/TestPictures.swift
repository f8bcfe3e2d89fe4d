// SPDX-License-Identifier: MIT
import WICore

/// A colour of doubles from 0 to 1: red, green, blue, alpha.
typealias Exact = SIMD4<Double>

/// Every format with every meaning of alpha.
let allForms: [PixelForm] = [PixelFormat.rgba8, .bgra8, .rgba16].flatMap { format in
    [AlphaMode.opaque, .straight, .premultiplied].map { PixelForm(format: format, mode: $0) }
}

struct PixelForm: Sendable, CustomStringConvertible {
    var format: PixelFormat
    var mode: AlphaMode

    static let plain = PixelForm(format: .rgba8, mode: .straight)
    static let opaque = PixelForm(format: .rgba8, mode: .opaque)
    var description: String { "\(format) \(mode)" }
}

/// A picture of straight colours, as near to them as the form allows.
func picture(
    _ width: Int, _ height: Int, _ form: PixelForm = .plain, color: (Int, Int) -> Exact
) throws -> PixelBuffer {
    var pixels = try MutablePixels(
        width: width, height: height, format: form.format, alphaMode: form.mode)
    let most = form.format.bitsPerChannel == 8 ? 255.0 : 65_535
    pixels.withMutableBytes { bytes in
        for index in 0..<width * height {
            var exact = color(index % width, index / width)
            if form.mode == .opaque { exact.w = 1 }
            if form.mode == .premultiplied { exact = multiplied(exact) }
            if form.format.order == .bgra { (exact.x, exact.z) = (exact.z, exact.x) }
            for channel in 0..<4 {
                let value = (exact[channel] * most).rounded()
                let place = 4 * index + channel
                if most == 255 {
                    bytes.storeBytes(of: UInt8(value), toByteOffset: place, as: UInt8.self)
                } else {
                    bytes.storeBytes(of: UInt16(value), toByteOffset: 2 * place, as: UInt16.self)
                }
            }
        }
    }
    return pixels.publish()
}

/// Colours that look random and are the same in every run.
func noise(_ width: Int, _ height: Int, _ form: PixelForm = .plain, seed: UInt64 = 1) throws -> PixelBuffer {
    var state = seed
    func next() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 40) / Double(1 << 24)
    }
    return try picture(width, height, form) { _, _ in Exact(next(), next(), next(), next()) }
}

func multiplied(_ color: Exact) -> Exact {
    Exact(color.x * color.w, color.y * color.w, color.z * color.w, color.w)
}

extension PixelBuffer {
    var form: PixelForm { PixelForm(format: format, mode: alphaMode) }

    /// All colours as they are stored, row by row, red first.
    var stored: [Exact] {
        withBytes { bytes in
            (0..<width * height).map { index in
                let start = index / width * bytesPerRow + index % width * format.bytesPerPixel
                var color = Exact()
                for channel in 0..<4 {
                    color[channel] =
                        format.bitsPerChannel == 8
                        ? Double(bytes.unsafeLoad(fromByteOffset: start + channel, as: UInt8.self)) / 255
                        : Double(bytes.unsafeLoad(fromByteOffset: start + 2 * channel, as: UInt16.self))
                            / 65_535
                }
                return format.order == .bgra ? Exact(color.z, color.y, color.x, color.w) : color
            }
        }
    }

    /// All colours multiplied by alpha.
    var exact: [Exact] { alphaMode == .straight ? stored.map(multiplied) : stored }

    /// One pixel in steps of 255, straight or multiplied as it is stored.
    func pixel(_ x: Int, _ y: Int) -> [Int] {
        let color = stored[y * width + x] * 255
        return (0..<4).map { Int(color[$0].rounded()) }
    }

    /// The largest difference of a premultiplied value, in steps of 255.
    func distance(to reference: [Exact]) -> Double {
        guard reference.count == width * height else { return .infinity }
        return zip(exact, reference).map { left, right in
            let offset = left - right
            return max(offset.max(), -offset.min()) * 255
        }.max() ?? 0
    }

    func isSame(as other: PixelBuffer) -> Bool {
        size == other.size && form.description == other.form.description && stored == other.stored
    }
}

extension Transformer {
    /// Alone, on this thread.
    func callAsFunction(_ pixels: PixelBuffer) throws -> PixelBuffer { try transform(pixels, WorkContext()) }
}

func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }
