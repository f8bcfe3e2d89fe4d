// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

extension GIFHead {
    /// What the file says beside its pixels.
    ///
    /// - Throws: `metadataLimit`.
    func metadata(_ data: Data, _ options: DecodeOptions) throws(ImageError) -> ImageMetadata {
        let limit = options.limits.metadataBlock
        var profile = try icc.map { range throws(ImageError) in
            try Self.joined(data, range, "ICC profile", limit)
        }
        if let found = profile, !found.bytes.has("RGB ", at: 16) { profile = nil }
        return ImageMetadata(
            storedSize: canvasSize, iccProfile: profile, xmp: try packet(data, limit), scale: options.scale,
            warnings: warnings)
    }

    /// The XMP packet, which is not written in sub-blocks: 257 bytes behind it lead whoever takes it for some to its
    /// end (XMP specification, part 3, section 1.1.2). Packets in real sub-blocks are taken as well.
    private func packet(_ data: Data, _ limit: ByteCount) throws(ImageError) -> Data? {
        guard let xmp else { return nil }
        let bytes = data.bytes
        // Whether the walk met the first or the second of the two zeros at the end.
        for length in [257, 256] where xmp.count >= length {
            let end = xmp.upperBound - length
            guard bytes.byte(end) == 1, bytes.byte(end + 1) == 0xFF, bytes.byte(end + 2) == 0xFE else {
                continue
            }
            return try Self.copied(data, xmp.lowerBound..<end, "XMP packet", limit)
        }
        let packet = try Self.joined(data, xmp, "XMP packet", limit)
        return packet.isEmpty ? nil : packet
    }

    private static func copied(
        _ data: Data, _ range: Range<Int>, _ name: String, _ limit: ByteCount
    ) throws(ImageError) -> Data? {
        guard range.count <= limit.bytes else { throw tooLarge(name, limit) }
        let start = data.startIndex
        return range.isEmpty ? nil : Data(data[start + range.lowerBound..<start + range.upperBound])
    }

    /// The content of the sub-blocks in `range`.
    private static func joined(
        _ data: Data, _ range: Range<Int>, _ name: String, _ limit: ByteCount
    ) throws(ImageError) -> Data {
        guard range.count / 256 * 255 <= limit.bytes else { throw tooLarge(name, limit) }
        var result = Data()
        var block = range.lowerBound
        while block < range.upperBound, let length = data.bytes.byte(block) {
            let end = min(block + 1 + Int(length), range.upperBound)
            result.append(data[data.startIndex + block + 1..<data.startIndex + end])
            block = end
        }
        guard result.count <= limit.bytes else { throw tooLarge(name, limit) }
        return result
    }

    private static func tooLarge(_ name: String, _ limit: ByteCount) -> ImageError {
        ImageError(
            .metadataLimit, stage: .decode,
            "The \(name) of the GIF file has more than the limit of \(limit); raise DecodeLimits.metadataBlock."
        )
    }
}
