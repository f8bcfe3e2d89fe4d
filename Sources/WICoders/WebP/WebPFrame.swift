// SPDX-License-Identifier: MIT
internal import WICore

/// One ANMF chunk: a frame and its place on the canvas (RFC 9649, section 2.7.1.1).
struct WebPFrame: Equatable, Sendable {
    private static let headerLength = 16

    let x: Int
    let y: Int
    let size: PixelSize
    let durationMilliseconds: Int
    /// Whether the frame covers what was there, transparent pixels too, instead of being blended with it.
    let replaces: Bool
    /// Whether the frame's rectangle becomes transparent once its time is over.
    let disposesToBackground: Bool
    let bitstream: WebPBitstream

    /// How long the frame of the ANMF chunk at `offset` is shown, in milliseconds.
    static func duration(_ bytes: RawSpan, at offset: Int) -> Int {
        bytes.littleEndian24(offset + WebPChunk.headerLength + 12) ?? 0
    }

    /// The frame in `chunk`; nil when its picture's header is not there yet, and takes `needed` bytes.
    ///
    /// - Throws: `corruptData` for a frame that is none, or does not lie on `canvas`.
    init?(
        _ bytes: RawSpan, _ chunk: WebPChunk, canvas: PixelSize, needed: inout Int
    ) throws(ImageError) {
        let start = chunk.data.lowerBound
        needed = start + Self.headerLength
        guard chunk.data.count > Self.headerLength else {
            throw WebPHead.corrupt("has a frame without a picture")
        }
        guard let halfX = bytes.littleEndian24(start), let halfY = bytes.littleEndian24(start + 3),
            let width = bytes.littleEndian24(start + 6), let height = bytes.littleEndian24(start + 9),
            let flags = bytes.byte(start + 15),
            let bitstream = try Self.bitstream(bytes, needed..<chunk.data.upperBound, &needed)
        else { return nil }
        x = halfX * 2
        y = halfY * 2
        size = PixelSize(width: width + 1, height: height + 1)
        durationMilliseconds = Self.duration(bytes, at: chunk.offset)
        replaces = flags & 2 != 0
        disposesToBackground = flags & 1 != 0
        self.bitstream = bitstream
        guard bitstream.size == size else {
            throw WebPHead.corrupt("has a frame of \(size) pixels with a picture of \(bitstream.size)")
        }
        guard x + size.width <= canvas.width, y + size.height <= canvas.height else {
            throw WebPHead.corrupt("has a frame that reaches past its canvas of \(canvas) pixels")
        }
    }

    /// The picture among the chunks in `range`; nil when its header is not there yet.
    private static func bitstream(
        _ bytes: RawSpan, _ range: Range<Int>, _ needed: inout Int
    ) throws(ImageError) -> WebPBitstream? {
        var offset = range.lowerBound
        var alpha: Int?
        while offset + WebPChunk.headerLength <= range.upperBound {
            needed = offset + WebPChunk.headerLength
            guard let chunk = WebPChunk(bytes, at: offset) else { return nil }
            if chunk.hasName("VP8 ") || chunk.hasName("VP8L") {
                return try WebPBitstream(bytes, chunk, alpha: alpha, needed: &needed)
            }
            if chunk.hasName("ALPH") { alpha = alpha ?? offset }
            offset = chunk.end
        }
        throw WebPHead.corrupt("has a frame without a picture")
    }

    /// Whether it is the whole canvas.
    func covers(_ canvas: PixelSize) -> Bool { size == canvas }
}

extension RawSpan {
    /// Three bytes, least significant first; nil outside the bytes.
    func littleEndian24(_ offset: Int) -> Int? {
        guard let low = littleEndian16(offset), let high = byte(offset + 2) else { return nil }
        return low | Int(high) << 16
    }
}
