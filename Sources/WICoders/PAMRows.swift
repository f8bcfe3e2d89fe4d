// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// The rows behind a PAM header, made into RGBA of 8 bits, or of 16 where the samples have more.
struct PAMRows {
    private let header: PAMHeader

    init(_ header: PAMHeader) { self.header = header }

    /// The rows that are there.
    ///
    /// What is missing is noted in `metadata`.
    ///
    /// - Throws: `truncatedData` when not even one row is there.
    func decode(
        _ data: Data, _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let size = header.size
        let rows = min(size.height, max(0, data.count - header.start) / header.bytesPerRow)
        guard rows > 0 else {
            throw ImageError(
                .truncatedData, stage: .decode, "The PAM file ends before its first row is whole.")
        }
        if rows < size.height {
            metadata.isPartial = true
            metadata.warnings.append("The PAM file ends after \(rows) of \(size.height) rows.")
        }
        let isWide = header.bytesPerSample == 2
        var target = try MutablePixels(
            width: size.width, height: size.height, format: isWide ? .rgba16 : .rgba8,
            alphaMode: header.hasAlpha || rows < size.height ? .straight : .opaque)
        let stride = target.bytesPerRow
        for row in 0..<rows {
            if row % 64 == 0 { try work.checkCancellation(.decode) }
            data.withUnsafeBytes { source in
                target.withUnsafeMutableBytes { pixels in
                    let start = header.start + row * header.bytesPerRow
                    let from = UnsafeRawBufferPointer(rebasing: source[start..<start + header.bytesPerRow])
                    let to = UnsafeMutableRawBufferPointer(
                        rebasing: pixels[row * stride..<(row + 1) * stride])
                    if isWide { spread16(from, to.bindMemory(to: UInt16.self)) } else { spread8(from, to) }
                }
            }
        }
        return target.publish()
    }

    private func spread8(_ from: UnsafeRawBufferPointer, _ to: UnsafeMutableRawBufferPointer) {
        if header.depth == 4, header.maximum == 255 {
            to.copyMemory(from: from)
            return
        }
        // Samples above the maximum count as the maximum.
        let levels = (0...255).map {
            UInt8(clamping: (min($0, header.maximum) * 255 + header.maximum / 2) / header.maximum)
        }
        spread(to) { levels[Int(from[$0])] }
    }

    private func spread16(_ from: UnsafeRawBufferPointer, _ to: UnsafeMutableBufferPointer<UInt16>) {
        let maximum = header.maximum
        spread(to) { sample in
            let value = min(Int(from[2 * sample]) << 8 | Int(from[2 * sample + 1]), maximum)
            return UInt16(clamping: (value * 65_535 + maximum / 2) / maximum)
        }
    }

    /// `sample` gives the row's sample of that number, at full scale.
    @inline(__always)
    private func spread<Target: MutableCollection>(
        _ to: Target, _ sample: (Int) -> Target.Element
    ) where Target.Index == Int, Target.Element: FixedWidthInteger {
        var to = to
        let depth = header.depth
        let (green, blue) = depth <= 2 ? (0, 0) : (1, 2)
        for x in 0..<header.size.width {
            to[4 * x] = sample(x * depth)
            to[4 * x + 1] = sample(x * depth + green)
            to[4 * x + 2] = sample(x * depth + blue)
            to[4 * x + 3] = header.hasAlpha ? sample(x * depth + depth - 1) : .max
        }
    }
}
