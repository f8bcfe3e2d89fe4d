// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore

extension PNGDecoder {
    /// Files that inflate to more are read through libpng, slower, but holding a few rows alone.
    static let largestInflated = 32 << 20

    /// Whether the picture is made smaller while its rows come; those of interlaced ones do not come in order.
    func isReduced(to size: PixelSize) -> Bool { size != header.size && !header.isInterlaced }

    /// The picture made to fit `size` (as stored), without ever being there whole.
    func reducedPixels(
        to size: PixelSize, _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let mode: AlphaMode = head.hasAlpha ? .straight : .opaque
        if scratchSize ?? .max <= Self.largestInflated {
            let reducer = try reducer(size, mode)
            var band = try band()
            if try band.withRows({ rows throws(ImageError) in try decodeWhole(rows, reducer, work) }) {
                return try reducer.publish()
            }
        }
        let (report, reducer) = try reduceByLibrary(to: size, mode, work)
        guard report.failed else {
            noteWarning(report, &metadata)
            return try reducer.publish()
        }
        try noteDamage(report, &metadata)
        if mode == .straight { return try reducer.publish() }
        // Only now is it known that rows are missing, and so transparent: the damaged file is read once more.
        return try reduceByLibrary(to: size, .straight, work).reducer.publish()
    }

    private func reduceByLibrary(
        to size: PixelSize, _ mode: AlphaMode, _ work: borrowing WorkContext
    ) throws(ImageError) -> (report: wi_png_report, reducer: PNGReducer) {
        let reducer = try reducer(size, mode)
        var band = try band()
        let report = try band.withRows { rows throws(ImageError) in
            try decodeByLibrary(rows, reducer, work)
        }
        if mode == .straight { reducer.pushMissingRows(from: Int(report.rows)) }
        return (report, reducer)
    }

    private func reducer(_ size: PixelSize, _ mode: AlphaMode) throws(ImageError) -> PNGReducer {
        try PNGReducer(from: header.size, to: size, format: format, alphaMode: mode)
    }

    private func band() throws(ImageError) -> MutablePixels {
        // Of the band's number of rows, those that the picture lacks are never touched.
        let rows = min(header.size.height, PNGReducer.rowsInBand(of: header.size, format))
        return try MutablePixels(uninitialized: header.size.width, height: rows, format: format)
    }
}
