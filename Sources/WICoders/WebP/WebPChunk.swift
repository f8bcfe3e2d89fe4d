// SPDX-License-Identifier: MIT
internal import WICore

/// Where a RIFF chunk lies in a file (RFC 9649, section 2.3).
struct WebPChunk: Equatable, Sendable {
    /// Name and length.
    static let headerLength = 8

    /// The four letters, first one highest.
    let name: UInt32
    /// Where the name begins.
    let offset: Int
    /// The data as stated, whether they are there or not.
    let data: Range<Int>

    /// The chunk at `offset`, whose data may be missing; nil when its first eight bytes are not there.
    init?(_ bytes: RawSpan, at offset: Int) {
        guard let name = bytes.bigEndian32(offset), let length = bytes.littleEndian32(offset + 4) else {
            return nil
        }
        self.name = UInt32(name)
        self.offset = offset
        data = offset + Self.headerLength..<offset + Self.headerLength + length
    }

    /// Where the next chunk begins: data of an odd length are followed by a byte that says nothing.
    var end: Int { data.upperBound + data.count % 2 }

    func hasName(_ name: StaticString) -> Bool {
        name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } } == self.name
    }

    /// Whether all of its data are among `bytes`.
    func isWhole(_ bytes: RawSpan) -> Bool { data.upperBound <= bytes.byteCount }
}

/// The pixels of a still or of a frame: a VP8 or VP8L chunk, and the ALPH chunk before it.
struct WebPBitstream: Equatable, Sendable {
    let size: PixelSize
    let isLossless: Bool
    /// Whether a VP8L header says that alpha is used: a hint alone, pixels may say otherwise.
    private let hintsAtAlpha: Bool
    /// Where the ALPH chunk begins.
    let alpha: Int?
    /// The VP8 or VP8L chunk, with its name, as far as it is there.
    let image: Range<Int>
    /// Whether data are missing.
    let isCut: Bool

    /// The picture in `chunk`; nil when its header is not there yet, and takes `needed` bytes.
    ///
    /// - Throws: `corruptData` when the header cannot be one.
    init?(_ bytes: RawSpan, _ chunk: WebPChunk, alpha: Int?, needed: inout Int) throws(ImageError) {
        isLossless = chunk.hasName("VP8L")
        let start = chunk.data.lowerBound
        // Lossless data have no alpha beside them.
        self.alpha = isLossless ? nil : alpha
        image = chunk.offset..<min(chunk.data.upperBound, bytes.byteCount)
        isCut = !chunk.isWhole(bytes)
        let headerLength = isLossless ? 5 : 10
        guard chunk.data.count >= headerLength else {
            throw WebPHead.corrupt("has a picture chunk of \(chunk.data.count) bytes")
        }
        needed = start + headerLength
        guard needed <= bytes.byteCount else { return nil }
        if isLossless {
            (size, hintsAtAlpha) = try Self.losslessHeader(bytes, start)
        } else {
            (size, hintsAtAlpha) = (try Self.lossyHeader(bytes, start), false)
        }
    }

    /// RFC 9649, section 3.4.
    private static func losslessHeader(_ bytes: RawSpan, _ start: Int) throws(ImageError) -> (PixelSize, Bool)
    {
        guard bytes.byte(start) == 0x2F, let bits = bytes.littleEndian32(start + 1), bits >> 29 == 0 else {
            throw WebPHead.corrupt("has a VP8L chunk without its signature")
        }
        return (PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1), bits >> 28 & 1 == 1)
    }

    /// RFC 6386, section 9.1.
    private static func lossyHeader(_ bytes: RawSpan, _ start: Int) throws(ImageError) -> PixelSize {
        guard let tag = bytes.byte(start), tag & 1 == 0, bytes.has("\u{2a}", at: start + 5),
            bytes.bigEndian16(start + 3) == 0x9D01, let width = bytes.littleEndian16(start + 6),
            let height = bytes.littleEndian16(start + 8)
        else { throw WebPHead.corrupt("has a VP8 chunk that is no key frame") }
        return PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
    }

    /// Whether the file says "not opaque".
    var claimsAlpha: Bool { alpha != nil || hintsAtAlpha }

    /// Whether no pixel can be transparent.
    var isAlwaysOpaque: Bool { !isLossless && alpha == nil }

    /// What libwebp is given.
    func range(withAlpha: Bool) -> Range<Int> {
        (withAlpha ? alpha ?? image.lowerBound : image.lowerBound)..<image.upperBound
    }

    /// The same with the byte that makes the last chunk's length even, where the whole file is there.
    var paddedRange: Range<Int> {
        let range = range(withAlpha: true)
        return range.lowerBound..<range.upperBound + (image.count % 2)
    }
}
