// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

extension WebPHead {
    /// What the file says beside its pixels, `orientation` being what is still to be done to them.
    ///
    /// - Throws: `metadataLimit`.
    func metadata(
        _ data: Data, _ options: DecodeOptions, storedSize: PixelSize, orientation: Orientation
    ) throws(ImageError) -> ImageMetadata {
        let limit = options.limits.metadataBlock
        var exif = try Self.block(exif, data, "EXIF block", limit)
        if options.appliesOrientation { exif = exif.map { EXIFOrientation.rewriting($0, to: .up) } }
        // Whatever the profile of another colour space describes, it is not the RGB that is handed over.
        let icc = try Self.block(icc, data, "ICC profile", limit).flatMap {
            $0.bytes.has("RGB ", at: 16) ? $0 : nil
        }
        var metadata = ImageMetadata(
            storedSize: storedSize, orientation: orientation, iccProfile: icc, exif: exif,
            xmp: try Self.block(xmp, data, "XMP packet", limit), scale: options.scale)
        if isCut { metadata.warnings.append("The WebP file is shorter than it says.") }
        return metadata
    }

    private static func block(
        _ range: Range<Int>?, _ data: Data, _ name: String, _ limit: ByteCount
    ) throws(ImageError) -> Data? {
        guard let range else { return nil }
        guard range.count <= limit.bytes else {
            throw ImageError(
                .metadataLimit, stage: .decode,
                "The \(name) of the WebP file has \(ByteCount(range.count)), more than the limit of \(limit); "
                    + "raise DecodeLimits.metadataBlock.")
        }
        return Data(data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound])
    }
}
