// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import GIFShim
internal import WICore

/// Puts the blocks of a file one behind the other (GIF89a).
struct GIFWriter {
    /// What has been written.
    private(set) var file = Data("GIF89a".utf8)

    static let longestSide = 65_535

    /// Begins a file with its colour table.
    init(_ size: PixelSize, _ table: GIFColorTable) {
        append(size.width)
        append(size.height)
        file.append(contentsOf: [0x80 | 0x70 | UInt8(table.bits - 1), 0, 0])
        file.append(table.bytes)
    }

    /// A frame with its graphic control extension; `table` nil for the file's own.
    mutating func append(_ frame: GIFIndexedFrame, _ table: GIFColorTable?, disposal: UInt8, delay: Int) {
        if delay > 0 || disposal > 0 || frame.hasHoles {
            file.append(contentsOf: [0x21, 0xF9, 4, disposal << 2 | (frame.hasHoles ? 1 : 0)])
            append(delay)
            file.append(contentsOf: [frame.hasHoles ? frame.hole : 0, 0])
        }
        file.append(0x2C)
        for number in [frame.area.x, frame.area.y, frame.area.width, frame.area.height] { append(number) }
        file.append(table.map { 0x80 | UInt8($0.bits - 1) } ?? 0)
        if let table { file.append(table.bytes) }
        file.append(frame.pictureData)
    }

    /// How often the animation plays; nothing for once, which is what a file without says.
    mutating func appendLoops(_ count: Int) {
        guard count != 1 else { return }
        appendApplication("NETSCAPE2.0")
        file.append(contentsOf: [3, 1])
        append(min(max(0, count), Self.longestSide))
        file.append(0)
    }

    /// A profile in sub-blocks (ICC.1, annex B.5).
    mutating func appendProfile(_ profile: Data) {
        appendApplication("ICCRGBG1012")
        var rest = profile[...]
        while !rest.isEmpty {
            let block = rest.prefix(255)
            file.append(UInt8(block.count))
            file.append(block)
            rest = rest.dropFirst(255)
        }
        file.append(0)
    }

    /// XMP as it is, and what leads readers of sub-blocks to its end (XMP specification, part 3, section 1.1.2).
    mutating func appendXMP(_ packet: Data) {
        appendApplication("XMP DataXMP")
        file.append(packet)
        file.append(1)
        file.append(contentsOf: (0...255).reversed().map { UInt8($0) })
        file.append(0)
    }

    mutating func appendTrailer() { file.append(0x3B) }

    private mutating func appendApplication(_ name: StaticString) {
        file.append(contentsOf: [0x21, 0xFF, 11])
        name.withUTF8Buffer { file.append(contentsOf: $0) }
    }

    private mutating func append(_ number: Int) {
        file.append(contentsOf: [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)])
    }
}

/// The colours of a frame or a file.
struct GIFColorTable {
    /// As pixels, RGBA in memory order.
    let colors: [UInt32]
    /// Whether there is one entry more, for pixels that are not painted.
    let hasHole: Bool

    /// Bits of an index.
    var bits: Int {
        let last = colors.count + (hasHole ? 1 : 0) - 1
        return max(1, Int.bitWidth - max(0, last).leadingZeroBitCount)
    }
    /// The index of what is not painted.
    var hole: UInt8 { UInt8(truncatingIfNeeded: colors.count) }

    /// Three bytes each, filled up to a power of two.
    var bytes: Data {
        var bytes = Data(capacity: 3 << bits)
        for color in colors { withUnsafeBytes(of: color) { bytes.append(contentsOf: $0.prefix(3)) } }
        bytes.append(contentsOf: [UInt8](repeating: 0, count: (3 << bits) - bytes.count))
        return bytes
    }
}

/// A frame's indices, compressed, and where they lie on the canvas.
struct GIFIndexedFrame {
    let area: wi_gif_rectangle
    let hasHoles: Bool
    let hole: UInt8
    let pictureData: Data
}
