// SPDX-License-Identifier: MIT
package import WICore

/// Memory that blocks of rows are written into, each by one thread.
///
/// `@unchecked Sendable`: no two blocks have a row in common, and who made it waits for all of them.
struct SharedBytes: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
}

extension WorkContext {
    /// Calls `body` for ranges that make up `0..<rows`, each of about `bytes` bytes; a multiple of `step` rows but for the
    /// last. The ranges are the same however many threads there are.
    func forEachRange(
        of rows: Int, bytesPerRow: Int, step: Int = 1, bytes: Int = 256 << 10,
        _ body: @Sendable (Range<Int>) -> Void
    ) throws(ImageError) {
        let steps = max(1, bytes / max(1, bytesPerRow * step))
        let size = min(steps * step, max(rows, 1))
        try forEachBlock((rows + size - 1) / size, .transform) { block in
            body(block * size..<min(rows, (block + 1) * size))
        }
    }
}

extension PixelBuffer {
    /// A picture that is painted row by row: `paint` is given a row of transparent pixels and its number, on several
    /// threads.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` or `dimensionLimit` for sizes that cannot be, `outOfMemory`,
    ///   `cancelled`.
    package static func painted(
        _ size: PixelSize, _ format: PixelFormat, _ alphaMode: AlphaMode, from alpha: RowAlpha,
        _ work: borrowing WorkContext, _ paint: @Sendable (PixelRow, Int) -> Void
    ) throws(ImageError) -> PixelBuffer {
        var target = try MutablePixels(
            uninitialized: size.width, height: size.height, format: format, alphaMode: alphaMode)
        let stride = target.bytesPerRow
        let writer = RowWriter(format, alphaMode, from: alpha)
        try target.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
            guard let base = bytes.baseAddress else { return }
            let memory = SharedBytes(start: base)
            try work.forEachRange(of: size.height, bytesPerRow: stride) { rows in
                let row = PixelRow.allocate(capacity: size.width)
                defer { row.deallocate() }
                for y in rows {
                    row.initialize(repeating: .zero)
                    paint(row, y)
                    writer.write(row, to: memory.start + y * stride)
                }
            }
        }
        return target.publish()
    }

    /// The picture with each row changed by `change`, in the same format; in its own alpha mode, or in `mode`.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory` or `cancelled`.
    package func mapped(
        as alpha: RowAlpha, to mode: AlphaMode? = nil, _ work: borrowing WorkContext,
        _ change: @Sendable (PixelRow, Int) -> Void
    ) throws(ImageError) -> PixelBuffer {
        try Self.painted(size, format, mode ?? alphaMode, from: alpha, work) { row, y in
            read(row, y: y, as: alpha)
            change(row, y)
        }
    }

    /// The picture with the bytes of each row made of those of its row, in the same format and alpha mode, on several threads.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory` or `cancelled`.
    package func mappedBytes(
        _ work: borrowing WorkContext,
        _ change: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
    ) throws(ImageError) -> PixelBuffer {
        var target = try MutablePixels(
            uninitialized: width, height: height, format: format, alphaMode: alphaMode)
        let stride = target.bytesPerRow
        try target.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
            guard let base = bytes.baseAddress else { return }
            let memory = SharedBytes(start: base)
            try work.forEachRange(of: height, bytesPerRow: stride) { rows in
                withUnsafeBytes { source in
                    guard let start = source.baseAddress else { return }
                    for y in rows { change(start + y * bytesPerRow, memory.start + y * stride) }
                }
            }
        }
        return target.publish()
    }

    /// All pixels, row by row; for small pictures.
    package func colors(as alpha: RowAlpha) -> [PixelColor] {
        Array(unsafeUninitializedCapacity: width * height) { colors, count in
            count = width * height
            for y in 0..<height {
                read(PixelRow(rebasing: colors[y * width..<(y + 1) * width]), y: y, as: alpha)
            }
        }
    }
}
