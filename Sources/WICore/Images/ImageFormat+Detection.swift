// SPDX-License-Identifier: MIT

extension ImageFormat {
    /// Bytes from the start that settle every format but a text with a long preamble.
    public static let detectionLength = 1024

    /// The format that the first bytes announce; nil when they announce none of the known ones.
    ///
    /// Neither a name nor a server's word is asked. Text formats (SVG) are looked for in the first
    /// ``detectionLength`` bytes.
    public static func detect(_ bytes: RawSpan) -> ImageFormat? {
        let head = Head(bytes)
        if let format = simple(head) ?? riff(head) ?? isoMedia(head) { return format }
        return textual(head)
    }

    /// Whether more bytes could still change a nil answer of ``detect(_:)``.
    public static func mayStillDetect(_ bytes: RawSpan) -> Bool {
        bytes.byteCount < 16 || (bytes.byteCount < detectionLength && Head(bytes).looksLikeMarkup)
    }

    private static let signatures: [(offset: Int, bytes: [UInt8], format: ImageFormat)] = [
        (0, [0xFF, 0xD8, 0xFF], .jpeg),
        (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
        (0, Array("GIF87a".utf8), .gif),
        (0, Array("GIF89a".utf8), .gif),
        (0, [0xFF, 0x0A], .jxl),
        (0, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A], .jxl),
        (0, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A], .jp2),
        (0, [0xFF, 0x4F, 0xFF, 0x51], .jp2),
        (0, [0x49, 0x49, 0x2A, 0x00], .tiff),
        (0, [0x4D, 0x4D, 0x00, 0x2A], .tiff),
        (0, [0x49, 0x49, 0x2B, 0x00], .tiff),
        (0, [0x4D, 0x4D, 0x00, 0x2B], .tiff),
        (0, Array("%PDF-".utf8), .pdf),
        (0, Array("8BPS".utf8), .psd),
        (0, Array("P7\n".utf8), .pam),
        (0, Array("qoif".utf8), .qoi),
    ]

    private static func simple(_ head: Head) -> ImageFormat? {
        for entry in signatures where head.has(entry.bytes, at: entry.offset) { return entry.format }
        if head.isBitmap { return .bmp }
        return head.iconDirectory
    }

    private static func riff(_ head: Head) -> ImageFormat? {
        head.has(Array("RIFF".utf8), at: 0) && head.has(Array("WEBP".utf8), at: 8) ? .webp : nil
    }

    /// ISO base media files tell their kind by the brands in the `ftyp` box (ISO/IEC 14496-12, section 4.3).
    private static func isoMedia(_ head: Head) -> ImageFormat? {
        guard head.has(Array("ftyp".utf8), at: 4), let size = head.bigEndian32(at: 0) else { return nil }
        let end = min(Int(size), head.count)
        var brands: [String] = []
        var offset = 8
        while offset + 4 <= end {
            if offset != 12, let brand = head.text(at: offset, length: 4) { brands.append(brand) }
            offset += 4
        }
        // The major brand speaks first; a generic one leaves the word to the compatible brands.
        for brand in brands {
            switch brand {
            case "avif", "avis": return .avif
            case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs": return .heic
            default: continue
            }
        }
        return brands.contains { $0 == "mif1" || $0 == "msf1" || $0 == "heif" } ? .heif : nil
    }

    private static func textual(_ head: Head) -> ImageFormat? {
        guard head.looksLikeMarkup else { return nil }
        return head.firstElementName == "svg" ? .svg : nil
    }
}

/// The first bytes of a file, read without ever passing their end.
private struct Head {
    private let bytes: [UInt8]

    init(_ span: RawSpan) {
        let count = min(span.byteCount, ImageFormat.detectionLength)
        bytes = (0..<count).map { span.unsafeLoadUnaligned(fromByteOffset: $0, as: UInt8.self) }
    }

    var count: Int { bytes.count }

    func has(_ signature: [UInt8], at offset: Int) -> Bool {
        offset + signature.count <= bytes.count
            && bytes[offset..<(offset + signature.count)].elementsEqual(signature)
    }

    func bigEndian32(at offset: Int) -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        return bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    func littleEndian32(at offset: Int) -> UInt32? { bigEndian32(at: offset).map(\.byteSwapped) }

    func text(at offset: Int, length: Int) -> String? {
        guard offset + length <= bytes.count else { return nil }
        return String(validating: bytes[offset..<(offset + length)], as: UTF8.self)
    }

    /// `BM`, and a header size that some version of the format has.
    var isBitmap: Bool {
        guard has(Array("BM".utf8), at: 0), let size = littleEndian32(at: 14) else { return false }
        return [12, 16, 40, 52, 56, 64, 108, 124].contains(size)
    }

    /// An icon or cursor directory: reserved 0, type 1 or 2, a count, and a first entry whose reserved byte is 0.
    var iconDirectory: ImageFormat? {
        guard bytes.count >= 10, bytes[0] == 0, bytes[1] == 0, bytes[3] == 0, bytes[4] != 0 || bytes[5] != 0,
            bytes[9] == 0
        else { return nil }
        switch bytes[2] {
        case 1: return .ico
        case 2: return .cur
        default: return nil
        }
    }

    private var withoutMark: ArraySlice<UInt8> {
        has([0xEF, 0xBB, 0xBF], at: 0) ? bytes.dropFirst(3) : bytes[...]
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    var looksLikeMarkup: Bool { withoutMark.first { !Self.isSpace($0) } == UInt8(ascii: "<") }

    /// The local name of the first element, after declarations, comments and document types; nil when it is cut.
    var firstElementName: String? {
        var text = withoutMark
        while let open = text.firstIndex(of: UInt8(ascii: "<")) {
            text = text[(open + 1)...]
            guard let first = text.first else { return nil }
            if first == UInt8(ascii: "!") || first == UInt8(ascii: "?") {
                guard let rest = Self.skipDeclaration(text) else { return nil }
                text = rest
                continue
            }
            let name = text.prefix { !Self.isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
            guard name.endIndex < text.endIndex else { return nil }
            return String(decoding: name.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
        }
        return nil
    }

    /// What follows a comment, a processing instruction or a document type with its internal subset.
    private static func skipDeclaration(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if text.starts(with: Array("!--".utf8)) {
            var rest = text.dropFirst(3)
            while !rest.isEmpty {
                if rest.starts(with: Array("-->".utf8)) { return rest.dropFirst(3) }
                rest = rest.dropFirst()
            }
            return nil
        }
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return text[(index + 1)...]
            default: continue
            }
        }
        return nil
    }
}
