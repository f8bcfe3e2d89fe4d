// SPDX-License-Identifier: MIT
internal import PixelShim
package import WICore

extension PixelBuffer {
    /// The picture resampled to exactly `size`, in the same format and alpha mode.
    ///
    /// Averages premultiplied values; opaque pictures stay opaque. 8-bit pixels go in 16-bit fixed point, 16-bit ones and
    /// ratios beyond it in floating point.
    /// - Throws: ``ImageError`` with code `invalidArgument` or `dimensionLimit` for a size that cannot be, `cancelled`.
    package func resized(
        to size: PixelSize, filter: ResamplingFilter, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        guard size != self.size else { return self }
        var target = try MutablePixels(
            uninitialized: size.width, height: size.height, format: format, alphaMode: alphaMode)
        let vertical = ResamplingAxis(filter, from: height, to: size.height)
        let horizontal = ResamplingAxis(filter, from: width, to: size.width)
        if format.bitsPerChannel == 8, vertical.fitsFixedPoint, horizontal.fitsFixedPoint {
            let source = try converted(to: format, alphaMode: alphaMode == .straight ? .premultiplied : alphaMode)
            try source.resampleFixed(vertical, horizontal, into: &target, work)
            if alphaMode == .straight {
                target.withUnsafeMutableBytes { bytes in
                    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                    wi_unpremultiply8(base, base, bytes.count / 4)
                }
            }
        } else {
            try resampleWide(vertical, horizontal, into: &target, work)
        }
        return target.publish()
    }

    private func resampleFixed(
        _ vertical: ResamplingAxis, _ horizontal: ResamplingAxis, into target: inout MutablePixels,
        _ work: borrowing WorkContext
    ) throws(ImageError) {
        let band = 16
        let rows = [vertical.fixedWeights, horizontal.fixedWeights]
        let targetSize = target.size
        let targetStride = target.bytesPerRow
        // The horizontal kernel loads 16 bytes at a time, within the row's own taps; the last row has slack behind it.
        var scratch = [UInt8](repeating: 0, count: band * width * 4 + 64)
        var first = 0
        while first < targetSize.height {
            try work.checkCancellation(.transform)
            let count = min(band, targetSize.height - first)
            withUnsafeBytes { source in
                target.withUnsafeMutableBytes { bytes in
                    guard let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        let to = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    else { return }
                    scratch.withUnsafeMutableBufferPointer { scratch in
                        guard let middle = scratch.baseAddress else { return }
                        vertical.withFixed(rows[0]) { axis in
                            wi_resample_vertical(
                                from, bytesPerRow, axis, first, count, middle, width * 4, width * 4)
                        }
                        horizontal.withFixed(rows[1]) { axis in
                            wi_resample_horizontal(
                                middle, width * 4, axis, targetSize.width, count, to + first * targetStride,
                                targetStride)
                        }
                    }
                }
            }
            first += count
        }
    }

    private func resampleWide(
        _ vertical: ResamplingAxis, _ horizontal: ResamplingAxis, into target: inout MutablePixels,
        _ work: borrowing WorkContext
    ) throws(ImageError) {
        let size = target.size
        let stride = target.bytesPerRow
        var scratch = [Float](repeating: 0, count: width * 4)
        for row in 0..<size.height {
            try work.checkCancellation(.transform)
            withUnsafeBytes { source in
                target.withUnsafeMutableBytes { bytes in
                    guard let from = source.baseAddress, let to = bytes.baseAddress else { return }
                    scratch.withUnsafeMutableBufferPointer { scratch in
                        vertical.withWide { vertical in
                            horizontal.withWide { horizontal in
                                wi_resample_wide_row(
                                    from, bytesPerRow, width, Int32(format.bitsPerChannel), alphaMode == .straight,
                                    vertical, row, horizontal, size.width, scratch.baseAddress, to + row * stride)
                            }
                        }
                    }
                }
            }
        }
    }
}

extension ResamplingAxis {
    fileprivate func withFixed(_ weights: [Int16], _ body: (wi_axis) -> Void) {
        starts.withUnsafeBufferPointer { starts in
            weights.withUnsafeBufferPointer { weights in
                body(wi_axis(starts: starts.baseAddress, weights: weights.baseAddress, taps: Int32(taps)))
            }
        }
    }

    fileprivate func withWide(_ body: (wi_wide_axis) -> Void) {
        starts.withUnsafeBufferPointer { starts in
            weights.withUnsafeBufferPointer { weights in
                body(wi_wide_axis(starts: starts.baseAddress, weights: weights.baseAddress, taps: Int32(taps)))
            }
        }
    }
}
