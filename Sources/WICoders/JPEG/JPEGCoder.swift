// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore

/// JPEG through libjpeg-turbo: baseline, progressive and arithmetic; grey, YCbCr, RGB, CMYK and YCCK.
///
/// Decodes straight into the final pixels, and to eighths of the size for thumbnails. Not done: 12-bit and lossless frames.
public struct JPEGCoder: ImageCoder {
    /// The coder.
    public init() {}

    /// JPEG.
    public var decodableFormats: Set<ImageFormat> { [.jpeg] }
    /// JPEG.
    public var encodableFormats: Set<ImageFormat> { [.jpeg] }

    /// Reads the markers up to the first scan.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `unsupportedFeature`, or `truncatedData` for a complete file that
    ///   ends before its first scan.
    public func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        var head = JPEGHead()
        switch try head.read(bytes) {
        case .complete: return .info(try head.info(bytes))
        case .needs(let count):
            if !isComplete { return .needs(ByteCount(count)) }
            throw ImageError(
                .truncatedData, stage: .decode,
                "The JPEG file ends after \(bytes.byteCount) bytes, before its first scan.")
        }
    }

    /// The result, the coefficients that a progressive frame keeps, and what a reduced decode hands on.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        let target = options.targetSize(for: info.displaySize)
        let scale = JPEGScale(info, target: target)
        let reduced = scale.size(of: info.storedSize)
        let stored = info.storedSize
        let coefficients = info.isMultiPass ? ByteCount.saturating(stored.width, stored.height, 6) : .zero
        let rows = ByteCount.saturating(stored.width, 64)
        return .saturating(reduced.width, reduced.height, 4) + .saturating(target.width, target.height, 4)
            + coefficients + rows
    }

    /// Decodes a file, at the size asked for.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, `unsupportedFeature`, a limit's code, or
    ///   `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        try JPEGDecoder(data, options).decode(work)
    }

    /// Encodes a picture as JPEG; transparency is flattened on the background.
    ///
    /// - Throws: ``ImageError`` with code `dimensionLimit` for sides over 65,500, `metadataLimit` for EXIF or XMP that do
    ///   not fit a marker, `encodeFailed`, or `cancelled`.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .jpeg else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The JPEG coder does not encode \(format).")
        }
        return try JPEGEncoder(image, options).encode(work)
    }
}

/// In how many eighths of its size a file is decoded.
struct JPEGScale {
    let eighths: Int

    /// The fewest that leave at least a factor of two to the resampler, or the full size.
    init(_ info: ImageInfo, target: PixelSize) {
        let stored = info.orientation.exchangesSides ? target.transposed : target
        guard stored.width < info.storedSize.width || stored.height < info.storedSize.height else {
            eighths = 8
            return
        }
        var found = 8
        // Odd eighths use slower transforms; powers of two are as good once the resampler follows.
        for candidate in [1, 2, 4] {
            let reduced = Self.size(of: info.storedSize, candidate)
            if reduced.width >= 2 * stored.width, reduced.height >= 2 * stored.height {
                found = candidate
                break
            }
        }
        eighths = found
    }

    func size(of stored: PixelSize) -> PixelSize { Self.size(of: stored, eighths) }

    private static func size(of stored: PixelSize, _ eighths: Int) -> PixelSize {
        PixelSize(width: (stored.width * eighths + 7) / 8, height: (stored.height * eighths + 7) / 8)
    }
}
