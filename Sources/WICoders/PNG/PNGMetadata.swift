// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore

extension PNGHead {
    /// What the file says beside its pixels, `orientation` being what is still to be done to them.
    ///
    /// - Throws: `metadataLimit`.
    func metadata(
        _ data: Data, _ options: DecodeOptions, orientation: Orientation
    ) throws(ImageError) -> ImageMetadata {
        let limit = options.limits.metadataBlock
        var warnings = warnings
        var exif = try block(self.exif, data, "EXIF block", limit)
        if options.appliesOrientation { exif = exif.map { EXIFOrientation.rewriting($0, to: .up) } }
        return ImageMetadata(
            storedSize: header?.size ?? PixelSize(width: 0, height: 0), orientation: orientation,
            iccProfile: try profile(data, limit, &warnings), exif: exif,
            xmp: try packet(data, limit, &warnings),
            density: density, scale: options.scale, warnings: warnings)
    }

    /// The profile, where it describes RGB, as the pixels that are handed over are.
    private func profile(
        _ data: Data, _ limit: ByteCount, _ warnings: inout [String]
    ) throws(ImageError) -> Data? {
        guard let icc else { return nil }
        let bytes = data.bytes
        // A name, its end, and the method.
        guard let end = icc.first(where: { bytes.byte($0) == 0 }), bytes.byte(end + 1) == 0,
            end + 2 <= icc.upperBound,
            let profile = try Self.inflated(data, end + 2..<icc.upperBound, "ICC profile", limit)
        else {
            warnings.append("The ICC profile is damaged and was left out.")
            return nil
        }
        return profile.bytes.has("RGB ", at: 16) ? profile : nil
    }

    /// The text of an iTXt chunk: keyword, compression flag and method, language, translated keyword, text.
    private func packet(
        _ data: Data, _ limit: ByteCount, _ warnings: inout [String]
    ) throws(ImageError) -> Data? {
        guard let xmp else { return nil }
        let bytes = data.bytes
        let flags = xmp.lowerBound + 18
        guard
            let language = (flags + 2..<max(flags + 2, xmp.upperBound)).first(where: { bytes.byte($0) == 0 }),
            let keyword = (language + 1..<xmp.upperBound).first(where: { bytes.byte($0) == 0 })
        else { return nil }
        let text = keyword + 1..<xmp.upperBound
        if bytes.byte(flags) == 0 { return try block(text, data, "XMP packet", limit) }
        let packet = try Self.inflated(data, text, "XMP packet", limit)
        if packet == nil { warnings.append("The XMP packet is damaged and was left out.") }
        return packet
    }

    private func block(
        _ range: Range<Int>?, _ data: Data, _ name: String, _ limit: ByteCount
    ) throws(ImageError) -> Data? {
        guard let range else { return nil }
        guard range.count <= limit.bytes else { throw Self.tooLarge(name, limit) }
        return Data(data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound])
    }

    /// A zlib stream's content; nil when it is damaged.
    ///
    /// Its size is not stated, so room is made step by step.
    private static func inflated(
        _ data: Data, _ range: Range<Int>, _ name: String, _ limit: ByteCount
    ) throws(ImageError) -> Data? {
        var capacity = min(max(1 << 16, range.count), max(1, limit.bytes))
        while true {
            var target = Data(count: capacity)
            var written = 0
            let result = data.withUnsafeBytes { bytes in
                target.withUnsafeMutableBytes { room in
                    wi_png_inflate(
                        bytes.baseAddress?.advanced(by: range.lowerBound).assumingMemoryBound(to: UInt8.self),
                        range.count, room.baseAddress?.assumingMemoryBound(to: UInt8.self), room.count,
                        &written)
                }
            }
            if result == 0 { return target.prefix(written) }
            if result == 1 { return nil }
            guard capacity < limit.bytes else { throw tooLarge(name, limit) }
            capacity = capacity > limit.bytes / 4 ? limit.bytes : capacity * 4
        }
    }

    private static func tooLarge(_ name: String, _ limit: ByteCount) -> ImageError {
        ImageError(
            .metadataLimit, stage: .decode,
            "The \(name) of the PNG file has more than the limit of \(limit); raise DecodeLimits.metadataBlock."
        )
    }
}
