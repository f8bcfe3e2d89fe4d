// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels
internal import WebPShim

/// Writes the chunks of a file (RFC 9649).
///
/// Equal parts give equal bytes.
struct WebPContainer {
    /// A file has at most 4 GiB: a RIFF length has 32 bits.
    private static let longestFile = 0xFFFF_FFFE
    private static let (animationFlag, xmpFlag, exifFlag, alphaFlag, iccFlag) = (
        UInt8(0x02), UInt8(0x04), UInt8(0x08), UInt8(0x10), UInt8(0x20)
    )

    var canvas: PixelSize
    var hasAlpha: Bool
    var icc: Data?
    var exif: Data?
    var xmp: Data?

    /// Whether there is any.
    var holdsMetadata: Bool { icc != nil || exif != nil || xmp != nil }

    /// The file around picture chunks: a still's, or an animation's frames where `loops` says how often it plays.
    ///
    /// - Throws: `metadataLimit` when it would be too long.
    func file(around pictures: Data, loops: Int? = nil) throws(ImageError) -> Data {
        var body = Data("WEBP".utf8)
        body.append(canvasChunk(flags: loops == nil ? 0 : Self.animationFlag))
        if let icc { Self.append("ICCP", icc, to: &body) }
        if let loops {
            // A background colour that is transparent, and more than 16 bits of loops are for ever enough.
            Self.append(
                "ANIM", Data(count: 4) + Self.littleEndian(min(0xFFFF, max(0, loops)), bytes: 2), to: &body)
        }
        body.append(pictures)
        if let exif { Self.append("EXIF", exif, to: &body) }
        if let xmp { Self.append("XMP ", xmp, to: &body) }
        guard body.count <= Self.longestFile else {
            throw ImageError(
                .metadataLimit, stage: .encode,
                "The WebP file would have \(ByteCount(body.count)), more than it can say; leave metadata out."
            )
        }
        var file = Data()
        Self.append("RIFF", body, to: &file)
        return file
    }

    /// Adds a frame that replaces what is below it, and stays.
    static func append(_ picture: Data, at area: PixelArea, milliseconds: Int, to frames: inout Data) {
        let replaces: UInt8 = 2
        let place =
            littleEndian(area.x / 2, bytes: 3) + littleEndian(area.y / 2, bytes: 3)
            + littleEndian(area.width - 1, bytes: 3) + littleEndian(area.height - 1, bytes: 3)
        append("ANMF", place + littleEndian(milliseconds, bytes: 3) + [replaces] + picture, to: &frames)
    }

    private func canvasChunk(flags: UInt8) -> Data {
        var flags = flags
        if hasAlpha { flags |= Self.alphaFlag }
        if icc != nil { flags |= Self.iccFlag }
        if exif != nil { flags |= Self.exifFlag }
        if xmp != nil { flags |= Self.xmpFlag }
        var chunk = Data()
        Self.append(
            "VP8X",
            Data([flags, 0, 0, 0]) + Self.littleEndian(canvas.width - 1, bytes: 3)
                + Self.littleEndian(canvas.height - 1, bytes: 3), to: &chunk)
        return chunk
    }

    private static func append(_ name: StaticString, _ data: Data, to file: inout Data) {
        file.append(contentsOf: Array("\(name)".utf8))
        file.append(littleEndian(data.count, bytes: 4))
        file.append(data)
        if data.count % 2 == 1 { file.append(0) }
    }

    private static func littleEndian(_ value: Int, bytes: Int) -> Data {
        Data((0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}
