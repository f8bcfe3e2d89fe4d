// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WIPixels

/// JPEG through libjpeg-turbo: baseline, progressive and arithmetic; grey, YCbCr, RGB, CMYK and YCCK.
///
/// Decodes straight into the final pixels, and to eighths of the size for thumbnails. Not done: 12-bit and lossless
/// frames, and frames that state their height after the first scan (DNL).
public struct JPEGCoder: ProgressiveImageCoder {
    /// The coder.
    public init() {}

    /// JPEG.
    public var decodableFormats: Set<ImageFormat> { [.jpeg] }
    /// JPEG.
    public var encodableFormats: Set<ImageFormat> { [.jpeg] }

    /// Reads the markers up to the first scan.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `unsupportedFeature`, or `truncatedData` for a complete file
    ///   that ends before its first scan.
    public func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        var head = JPEGHead()
        switch try head.read(bytes) {
        case .complete: return .info(try head.info(bytes))
        case .needs(let count):
            if !isComplete { return .needs(ByteCount(count)) }
            throw JPEGHead.cut(bytes.byteCount)
        }
    }

    /// The result, what a reduced decode and a turn hand on, and the coefficients that a frame of several scans keeps.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        let plan = JPEGPlan(info, options)
        let turned = plan.orientation == .up ? 0 : 1
        let resampled = plan.target == plan.decoded ? 0 : 1
        let wide = options.pixelFormat.bitsPerChannel == 16 ? 2 : 0
        let held = plan.isStreamed ? 64 : plan.decoded.height
        let decoded = ByteCount.saturating(plan.decoded.width, held, 4)
        let results = ByteCount.saturating(
            plan.target.width, plan.target.height, 4 * (turned + resampled + wide))
        // Two bytes for each sample of four components: what CMYK takes, and more than others. How many there are is not
        // known here.
        let coefficients =
            info.isMultiPass ? ByteCount.saturating(info.storedSize.width, info.storedSize.height, 8) : .zero
        // libjpeg's own rows of samples, and its tables.
        let rows = ByteCount.saturating(info.storedSize.width, 128) + .kibibytes(64)
        return decoded + results + coefficients + rows
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

    /// Shows the rows of a file with one scan while they arrive, and of others the picture after each scan.
    ///
    /// Drawing a picture takes time for all of its pixels: the first 20 scans are shown, then only the last one. Nothing is
    /// shown of files with arithmetic coding.
    public func makeProgressiveDecoder(_ options: DecodeOptions) -> any ProgressiveDecoder {
        ArrivingDecoder(JPEGArrivingPicture(options), .jpeg)
    }

    /// Encodes a picture as JPEG; transparency is flattened on the background.
    ///
    /// - Throws: ``ImageError`` with code `dimensionLimit` for sides over 65,500, `metadataLimit` for metadata that do
    ///   not fit their markers, `fileSizeLimit`, `encodeFailed`, `outOfMemory`, or `cancelled`.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .jpeg else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The JPEG coder does not encode \(format).")
        }
        return try options.encode(image, as: format, usesQuality: true, work) { image, options, work in
            try JPEGEncoder(image, options).encode(work)
        }
    }
}
