// SPDX-License-Identifier: MIT
internal import PNGShim
internal import WICore
internal import WIPixels

/// Takes a picture's rows band by band and makes a smaller one of them.
///
/// Used by one decode, on its thread; a class, because C hands it back as a pointer.
final class PNGReducer {
    private static let bytesInBand = 128 << 10

    private var resampler: RowResampler?
    private let source: PixelSize
    private let bytesPerRow: Int
    let alphaMode: AlphaMode

    init(
        from source: PixelSize, to size: PixelSize, format: PixelFormat, alphaMode: AlphaMode
    ) throws(ImageError) {
        resampler = try RowResampler(
            from: source, to: size, filter: .lanczos3, format: format, alphaMode: alphaMode)
        self.source = source
        self.alphaMode = alphaMode
        bytesPerRow = source.width * format.bytesPerPixel
    }

    /// An even number, so that pairs of rows stay together.
    static func rowsInBand(of size: PixelSize, _ format: PixelFormat) -> Int {
        max(4, bytesInBand / max(1, size.width * format.bytesPerPixel) / 2 * 2)
    }

    private func push(_ rows: UnsafeRawPointer, _ count: Int) {
        resampler?.push(rows, bytesPerRow: bytesPerRow, count: count)
    }

    /// Puts transparent rows in the place of those from `first` on, which the file does not have.
    func pushMissingRows(from first: Int) {
        let blank = [UInt8](repeating: 0, count: bytesPerRow)
        blank.withUnsafeBytes { row in
            guard let base = row.baseAddress else { return }
            for _ in first..<max(first, source.height) { push(base, 1) }
        }
    }

    /// The smaller picture, once.
    ///
    /// - Throws: `outOfMemory` where it was taken before.
    func publish() throws(ImageError) -> PixelBuffer {
        guard let resampler = resampler.take() else {
            throw ImageError(.outOfMemory, stage: .decode, "The reduced picture is gone.")
        }
        return resampler.publish()
    }

    /// Lets `job` hand its rows to this reducer; it must not outlive it.
    func join(_ job: inout wi_png_decode_job, band: Int) {
        job.band = UInt32(clamping: band)
        job.context = Unmanaged.passUnretained(self).toOpaque()
        job.take_rows = { context, rows, count in
            guard let context, let rows else { return }
            Unmanaged<PNGReducer>.fromOpaque(context).takeUnretainedValue().push(rows, Int(count))
        }
    }
}
