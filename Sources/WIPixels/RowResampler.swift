// SPDX-License-Identifier: MIT
internal import PixelShim
package import WICore

/// Resamples a picture that comes row by row: source rows go in from top to bottom, and the target fills up.
///
/// It holds the target and a band of rows, never the whole source. Averages in floating point.
package struct RowResampler: ~Copyable {
    private let handle: RowsHandle
    private var target: MutablePixels
    /// Rows of the target that are finished.
    package private(set) var finishedRows = 0

    /// A resampler for a source of `source` pixels, of which `region` (default: all) becomes the whole
    /// target.
    ///
    /// Source rows come in `format` and with `alphaMode`; the target has the same.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` or `dimensionLimit` for sizes that cannot be,
    ///   `outOfMemory`.
    package init(
        from source: PixelSize, _ region: SourceRegion? = nil, to size: PixelSize, filter: ResamplingFilter,
        format: PixelFormat, alphaMode: AlphaMode
    ) throws(ImageError) {
        try self.init(
            Resampling(from: source, region, to: size, filter), format: format, alphaMode: alphaMode,
            weighsByAlpha: alphaMode == .straight, scalar: false)
    }

    /// Bytes that such a resampler holds beside its target; `unlimited` for sizes that cannot be.
    package static func memory(
        from source: PixelSize, to size: PixelSize, filter: ResamplingFilter, format: PixelFormat
    ) -> ByteCount {
        guard let resampling = try? Resampling(from: source, nil, to: size, filter) else { return .unlimited }
        var setup = wi_rows_setup(
            filter: filter.code, across: resampling.across, down: resampling.down,
            bits: Int32(format.bitsPerChannel), straight: true, scalar: false)
        return ByteCount(Int(clamping: wi_rows_bytes(&setup)))
    }

    init(
        _ resampling: Resampling, format: PixelFormat, alphaMode: AlphaMode, weighsByAlpha: Bool, scalar: Bool
    ) throws(ImageError) {
        let target = try MutablePixels(
            width: resampling.across.size, height: resampling.down.size, format: format, alphaMode: alphaMode)
        let handle = try RowsHandle(
            wi_rows_setup(
                filter: resampling.filter.code, across: resampling.across, down: resampling.down,
                bits: Int32(format.bitsPerChannel), straight: weighsByAlpha, scalar: scalar))
        self.target = target
        self.handle = handle
    }

    /// Takes the next `count` rows, `bytesPerRow` apart, at an address that suits their samples.
    ///
    /// Rows beyond the source's height are ignored.
    package mutating func push(_ rows: UnsafeRawPointer, bytesPerRow: Int, count: Int) {
        guard count > 0 else { return }
        let pointer = handle.pointer
        let stride = target.bytesPerRow
        finishedRows = target.withUnsafeMutableBytes { bytes in
            guard let into = bytes.baseAddress else { return 0 }
            return wi_rows_push(
                pointer, rows.assumingMemoryBound(to: UInt8.self), bytesPerRow, count,
                into.assumingMemoryBound(to: UInt8.self), stride)
        }
    }

    /// Ends the work and gives the target out; rows that were never finished are transparent, or black where
    /// opaque.
    package consuming func publish() -> PixelBuffer {
        if target.alphaMode == .opaque, finishedRows < target.height { blackenRest() }
        return target.publish()
    }

    private mutating func blackenRest() {
        let pixel = target.format.bytesPerPixel
        let first = finishedRows * target.bytesPerRow
        target.withUnsafeMutableBytes { bytes in
            for start in stride(from: first, to: bytes.count, by: pixel) {
                for byte in start + pixel * 3 / 4..<start + pixel { bytes[byte] = 0xFF }
            }
        }
    }
}

/// The one owner of the C resampler.
private struct RowsHandle: ~Copyable, @unchecked Sendable {
    // Sendable: whoever owns the handle is the only one that touches what it points to.
    let pointer: OpaquePointer

    init(_ setup: wi_rows_setup) throws(ImageError) {
        var setup = setup
        guard let pointer = wi_rows_create(&setup) else { throw Resampling.outOfMemory }
        self.pointer = pointer
    }

    deinit { wi_rows_free(pointer) }
}
