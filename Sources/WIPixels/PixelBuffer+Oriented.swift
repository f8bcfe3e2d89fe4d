// SPDX-License-Identifier: MIT
internal import PixelShim
package import WICore

extension PixelBuffer {
    /// The pixels turned upright: what `orientation` says is to be done for display, done.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package func oriented(_ orientation: Orientation) throws(ImageError) -> PixelBuffer {
        guard orientation != .up else { return self }
        let display = orientation.displaySize(of: size)
        var turned = try MutablePixels(
            uninitialized: display.width, height: display.height, format: format, alphaMode: alphaMode)
        let steps = TurnSteps(orientation, of: self)
        withUnsafeBytes { source in
            turned.withUnsafeMutableBytes { target in
                guard let from = source.baseAddress, let into = target.baseAddress else { return }
                wi_pixels_turn(
                    from.advanced(by: steps.start).assumingMemoryBound(to: UInt8.self), steps.across,
                    steps.down,
                    into.assumingMemoryBound(to: UInt8.self), display.width, display.height,
                    format.bytesPerPixel)
            }
        }
        return turned.publish()
    }
}

/// How the source is walked, in bytes, so that the turned picture comes out row by row.
private struct TurnSteps {
    /// Where the target's first pixel lies.
    let start: Int
    /// From one pixel of a target row to the next.
    let across: Int
    /// From one target row to the next.
    let down: Int

    init(_ orientation: Orientation, of pixels: PixelBuffer) {
        let pixel = pixels.format.bytesPerPixel
        let row = pixels.bytesPerRow
        let right = (pixels.width - 1) * pixel
        let bottom = (pixels.height - 1) * row
        (start, across, down) =
            switch orientation {
            case .up: (0, pixel, row)
            case .upMirrored: (right, -pixel, row)
            case .down: (bottom + right, -pixel, -row)
            case .downMirrored: (bottom, pixel, -row)
            case .leftMirrored: (0, row, pixel)
            case .right: (bottom, -row, pixel)
            case .rightMirrored: (bottom + right, -row, -pixel)
            case .left: (right, row, -pixel)
            }
    }
}
