// SPDX-License-Identifier: MIT
internal import PNGShim
internal import WICore

/// The IHDR chunk (PNG, third edition, section 11.2.1), checked.
struct PNGHeader: Equatable, Sendable {
    enum ColorType: Int, Sendable {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgbAlpha = 6

        fileprivate var depths: Set<Int> {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            default: [8, 16]
            }
        }

        var hasAlpha: Bool { self == .grayAlpha || self == .rgbAlpha }
        /// Samples of a pixel.
        var channels: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgbAlpha: 4
            }
        }
    }

    /// The file's first eight bytes.
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let longestSide = 0x7FFF_FFFF
    private static let dataLength = 13

    let size: PixelSize
    let depth: Int
    let colorType: ColorType
    let isInterlaced: Bool

    /// The header whose chunk begins at `offset`, with all of its bytes there.
    ///
    /// - Throws: `corruptData`.
    init(_ bytes: RawSpan, at offset: Int) throws(ImageError) {
        guard bytes.has("IHDR", at: offset + 4), bytes.bigEndian32(offset) == Self.dataLength else {
            throw PNGHeader.corrupt("does not begin with an IHDR chunk")
        }
        guard let stated = bytes.bigEndian32(offset + 8 + Self.dataLength),
            stated == PNGChunk.checksum(bytes, offset + 4..<offset + 8 + Self.dataLength)
        else { throw PNGHeader.corrupt("has an IHDR chunk with a wrong checksum") }
        let data = offset + 8
        guard let width = bytes.bigEndian32(data), let height = bytes.bigEndian32(data + 4),
            1...Self.longestSide ~= width, 1...Self.longestSide ~= height
        else {
            throw PNGHeader.corrupt("states a size that PNG does not have (each side is 1 to 2,147,483,647)")
        }
        size = PixelSize(width: width, height: height)
        guard let depth = bytes.byte(data + 8), let type = bytes.byte(data + 9),
            let colorType = ColorType(rawValue: Int(type)), colorType.depths.contains(Int(depth))
        else { throw PNGHeader.corrupt("states a colour type and bit depth that PNG does not have") }
        self.depth = Int(depth)
        self.colorType = colorType
        guard bytes.byte(data + 10) == 0, bytes.byte(data + 11) == 0, let interlace = bytes.byte(data + 12),
            interlace < 2
        else {
            throw PNGHeader.corrupt("states a compression, filter or interlace method that PNG does not have")
        }
        isInterlaced = interlace == 1
    }

    static func corrupt(_ what: String) -> ImageError {
        ImageError(.corruptData, stage: .decode, "The PNG file \(what).")
    }
}

/// Where a chunk lies in a file.
struct PNGChunk: Equatable, Sendable {
    /// The four letters, first one highest.
    let type: UInt32
    /// Where its length field begins.
    let offset: Int
    /// The data.
    let data: Range<Int>

    /// The chunk at `offset`, whose data may be missing; nil when its first eight bytes are not there.
    ///
    /// - Throws: `corruptData` when these cannot be a chunk's.
    init?(_ bytes: RawSpan, at offset: Int) throws(ImageError) {
        guard let length = bytes.bigEndian32(offset), let type = bytes.bigEndian32(offset + 4) else {
            return nil
        }
        guard length <= 0x7FFF_FFFF,
            (0..<4).allSatisfy({ Self.isLetter(UInt8(truncatingIfNeeded: type >> ($0 * 8))) })
        else { throw PNGHeader.corrupt("has bytes where a chunk should begin that cannot be one") }
        self.type = UInt32(type)
        self.offset = offset
        data = offset + 8..<offset + 8 + length
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 65...90 ~= byte || 97...122 ~= byte }

    /// Where the next chunk begins.
    var end: Int { data.upperBound + 4 }
    /// Whether a decoder that does not know it may not go on.
    var isCritical: Bool { type & 0x2000_0000 == 0 }

    func hasType(_ name: StaticString) -> Bool {
        name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } } == type
    }

    /// Whether its checksum, which must be there, is right.
    func isIntact(_ bytes: RawSpan) -> Bool {
        bytes.bigEndian32(data.upperBound) == Self.checksum(bytes, offset + 4..<data.upperBound)
    }

    /// CRC-32 of the bytes in `range`, which must be there.
    static func checksum(_ bytes: RawSpan, _ range: Range<Int>) -> Int {
        bytes.extracting(range).withUnsafeBytes { part in
            Int(wi_png_crc(part.baseAddress?.assumingMemoryBound(to: UInt8.self), part.count))
        }
    }
}
