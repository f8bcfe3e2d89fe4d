// SPDX-License-Identifier: MIT
import FoundationEssentials

/// Writes GIF files block by block, so that a test can say what stands in each.
struct GIFMaker {
    var bytes: [UInt8]

    /// A file whose screen and palette (`colors` entries of three bytes, a power of two; empty for none) are these.
    init(_ width: Int, _ height: Int, palette: [UInt8] = GIFMaker.palette(4), version: String = "89a") {
        bytes = Array("GIF\(version)".utf8) + Self.little(width) + Self.little(height)
        bytes += [palette.isEmpty ? 0 : 0x80 | Self.paletteBits(palette), 0, 0] + palette
    }

    /// A palette whose entry n is (n × 16 + 1, n, 255 − n).
    static func palette(_ count: Int) -> [UInt8] {
        (0..<count).flatMap {
            [UInt8(truncatingIfNeeded: $0 * 16 + 1), UInt8(truncatingIfNeeded: $0), UInt8(255 - $0)]
        }
    }

    static func little(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }

    private static func paletteBits(_ palette: [UInt8]) -> UInt8 {
        UInt8((palette.count / 3).trailingZeroBitCount - 1)
    }

    mutating func control(disposal: Int = 0, transparent: UInt8? = nil, delay: Int = 0) {
        bytes += [0x21, 0xF9, 4, UInt8(disposal << 2) | (transparent == nil ? 0 : 1)] + Self.little(delay)
        bytes += [transparent ?? 0, 0]
    }

    mutating func application(_ name: String, _ blocks: [[UInt8]]) {
        bytes += [0x21, 0xFF, UInt8(name.utf8.count)] + Array(name.utf8)
        for block in blocks { bytes += [UInt8(block.count)] + block }
        bytes.append(0)
    }

    mutating func loop(_ count: Int, name: String = "NETSCAPE2.0") {
        application(name, [[1] + Self.little(count)])
    }

    /// A frame of these indices, in the order of the file.
    mutating func frame(
        _ left: Int, _ top: Int, _ width: Int, _ height: Int, _ indices: [UInt8], palette: [UInt8] = [],
        interlaced: Bool = false, codeSize: Int = 2, blockSize: Int = 255
    ) {
        descriptor(left, top, width, height, palette: palette, interlaced: interlaced)
        bytes.append(UInt8(codeSize))
        blocks(Self.compressed(indices, codeSize: codeSize), blockSize: blockSize)
    }

    mutating func descriptor(
        _ left: Int, _ top: Int, _ width: Int, _ height: Int, palette: [UInt8] = [], interlaced: Bool = false
    ) {
        bytes += [0x2C] + Self.little(left) + Self.little(top) + Self.little(width) + Self.little(height)
        bytes.append((palette.isEmpty ? 0 : 0x80 | Self.paletteBits(palette)) | (interlaced ? 0x40 : 0))
        bytes += palette
    }

    mutating func blocks(_ data: [UInt8], blockSize: Int = 255) {
        var rest = data[...]
        while !rest.isEmpty {
            let block = rest.prefix(blockSize)
            bytes += [UInt8(block.count)] + block
            rest = rest.dropFirst(blockSize)
        }
        bytes.append(0)
    }

    /// The file, its trailer written.
    var file: Data { Data(bytes + [0x3B]) }

    /// The codes of these indices: LZW with a table that is cleared when it is full, or never where `clears` is false.
    static func compressed(_ indices: [UInt8], codeSize: Int, clears: Bool = true, ends: Bool = true)
        -> [UInt8]
    {
        var writer = CodeWriter(codeSize: codeSize)
        writer.put(writer.clear)
        var table: [Int: Int] = [:]
        var prefix: Int?
        for index in indices {
            guard let before = prefix else {
                prefix = Int(index)
                continue
            }
            if let code = table[before << 8 | Int(index)] {
                prefix = code
                continue
            }
            writer.put(before)
            let next = writer.clear + 2 + table.count
            if next < 4096 {
                table[before << 8 | Int(index)] = next
            } else if clears {
                writer.put(writer.clear)
                table = [:]
            }
            prefix = Int(index)
        }
        if let prefix { writer.put(prefix) }
        if ends { writer.put(writer.clear + 1) }
        return writer.finished
    }
}

/// Writes codes as GIF has them, the first bit lowest, as wide as the reader of these codes takes them.
struct CodeWriter {
    let clear: Int
    private var next: Int
    private var width: Int
    private var isFirst = true
    private var bits = 0
    private var count = 0
    private var bytes: [UInt8] = []

    init(codeSize: Int) {
        clear = 1 << codeSize
        next = clear + 2
        width = codeSize + 1
    }

    mutating func put(_ code: Int) {
        bits |= code << count
        count += width
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            count -= 8
        }
        if code == clear {
            next = clear + 2
            width = clear.trailingZeroBitCount + 1
            isFirst = true
            return
        }
        if !isFirst, next < 4096 { next += 1 }
        if next == 1 << width, width < 12 { width += 1 }
        isFirst = false
    }

    var finished: [UInt8] { count > 0 ? bytes + [UInt8(truncatingIfNeeded: bits)] : bytes }
}
