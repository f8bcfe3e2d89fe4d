// SPDX-License-Identifier: MIT
internal import PixelShim
package import WICore

/// One pixel as floats from 0 to 1: red, green, blue, alpha.
package typealias PixelColor = SIMD4<Float>

/// A row of pixels as floats.
package typealias PixelRow = UnsafeMutableBufferPointer<PixelColor>

/// Whether the colours of a row of floats are multiplied by alpha.
package enum RowAlpha: Sendable {
    case straight
    case premultiplied
}

extension PixelBuffer {
    /// Reads pixels of row `y` from `x` on, as many as `row` has room for.
    package func read(_ row: PixelRow, x: Int = 0, y: Int, as alpha: RowAlpha) {
        guard let target = row.baseAddress else { return }
        let count = min(row.count, width - x)
        guard x >= 0, y >= 0, y < height, count > 0 else { return }
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let start = base + y * bytesPerRow + x * format.bytesPerPixel
            let form = wi_pixel_form(
                bits: Int32(format.bitsPerChannel), swaps: format.order == .bgra,
                alpha: Self.step(from: alphaMode, to: alpha))
            target.withMemoryRebound(to: Float.self, capacity: 4 * count) { floats in
                wi_floats_read(start.assumingMemoryBound(to: UInt8.self), count, form, floats)
            }
        }
    }

    private static func step(from mode: AlphaMode, to alpha: RowAlpha) -> wi_alpha {
        switch (mode, alpha) {
        case (.opaque, _): WI_ALPHA_FILL
        case (.straight, .premultiplied): WI_ALPHA_MULTIPLY
        case (.premultiplied, .straight): WI_ALPHA_DIVIDE
        default: WI_ALPHA_KEEP
        }
    }
}

/// Writes a row of floats into memory, rounded.
struct RowWriter: Sendable {
    let form: wi_pixel_form
    let limits: Bool

    init(_ format: PixelFormat, _ mode: AlphaMode, from alpha: RowAlpha) {
        let step: wi_alpha =
            switch (alpha, mode) {
            case (_, .opaque): WI_ALPHA_FILL
            case (.premultiplied, .straight): WI_ALPHA_DIVIDE
            case (.straight, .premultiplied): WI_ALPHA_MULTIPLY
            default: WI_ALPHA_KEEP
            }
        form = wi_pixel_form(
            bits: Int32(format.bitsPerChannel), swaps: format.order == .bgra, alpha: step)
        limits = mode == .premultiplied
    }

    func write(_ row: PixelRow, to target: UnsafeMutableRawPointer) {
        guard let source = row.baseAddress else { return }
        source.withMemoryRebound(to: Float.self, capacity: 4 * row.count) { floats in
            wi_floats_write(floats, row.count, form, limits, target.assumingMemoryBound(to: UInt8.self))
        }
    }
}
