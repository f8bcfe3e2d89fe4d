// SPDX-License-Identifier: MIT

/// How much a file may ask for. Exceeding a limit is an error that names it, thrown before memory is taken.
public struct DecodeLimits: Hashable, Sendable {
    /// Pixels of one frame as stored. Default 128 megapixels. Error `dimensionLimit`.
    public var pixels = 128 * 1_000_000
    /// Pixels of a frame's longer side. Default 65,535, the most that JPEG and GIF can state. Error `dimensionLimit`.
    ///
    /// Work is done row by row: what a picture takes goes with its width, however few pixels it has.
    public var side = 65_535
    /// Frames of an animation. Default 10,000. Error `frameLimit`.
    public var frames = 10_000
    /// Pixels that compositing an animation once may touch. Default 8 gigapixels. Error `frameLimit`.
    public var compositedPixels = 8_000_000_000
    /// Scans of a progressive JPEG. Default 100. Error `scanLimit`.
    public var scans = 100
    /// Any one metadata block (ICC, EXIF, XMP). Default 8 MiB. Larger ones are an error `metadataLimit`.
    public var metadataBlock = ByteCount.mebibytes(8)

    /// The defaults.
    public init() {}

    /// Checks a stored size before anything is allocated for it.
    ///
    /// - Throws: ``ImageError`` with code `dimensionLimit`, naming the limit.
    public func check(_ size: PixelSize, format: ImageFormat) throws(ImageError) {
        guard size.width > 0, size.height > 0 else {
            throw ImageError(
                .corruptData, stage: .decode,
                "The \(format) header says \(size): a picture needs a positive size.")
        }
        guard max(size.width, size.height) <= side else {
            throw ImageError(
                .dimensionLimit, stage: .decode,
                "The \(format) header says \(size), more than the limit of \(side) pixels for a side; "
                    + "raise DecodeLimits.side if you trust the file.")
        }
        guard let count = size.pixelCount, count <= pixels else {
            throw ImageError(
                .dimensionLimit, stage: .decode,
                "The \(format) header says \(size), more than the limit of \(pixels) pixels; "
                    + "raise DecodeLimits.pixels if you trust the file.")
        }
    }

    /// Checks how many pixels the frames of an animation have together, before one of them is decoded.
    ///
    /// - Throws: ``ImageError`` with code `frameLimit`, naming the limit.
    package func checkCompositing(
        _ pixelsOfFrames: some Sequence<Int>, format: ImageFormat
    ) throws(ImageError) {
        var total = 0
        for pixels in pixelsOfFrames {
            let (sum, overflow) = total.addingReportingOverflow(pixels)
            guard !overflow, sum <= compositedPixels else {
                throw ImageError(
                    .frameLimit, stage: .decode,
                    "The frames of the \(format) animation have more than the limit of \(compositedPixels) pixels "
                        + "together; raise DecodeLimits.compositedPixels if you trust the file.")
            }
            total = sum
        }
    }
}
