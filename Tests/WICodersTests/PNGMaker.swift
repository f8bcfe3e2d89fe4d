// SPDX-License-Identifier: MIT
import FoundationEssentials
import WITestKit

/// Writes PNG files byte by byte, also wrong ones, without the coder that is tested.
struct PNGMaker {
    var width: Int
    var height: Int
    var depth = 8
    var colorType = 2
    var interlace = 0
    /// Chunks between IHDR and the first IDAT, and behind the last one.
    var before: [(String, [UInt8])] = []
    var after: [(String, [UInt8])] = []
    /// Bytes of an IDAT chunk.
    var chunkSize = Int.max

    init(_ width: Int, _ height: Int, depth: Int = 8, colorType: Int = 2, interlace: Int = 0) {
        self.width = width
        self.height = height
        self.depth = depth
        self.colorType = colorType
        self.interlace = interlace
    }

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 1 }

    /// The file of these filtered rows.
    func file(_ rows: [UInt8]) -> Data { file(stream: Self.stored(rows)) }

    func file(stream: [UInt8]) -> Data {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += Self.chunk(
            "IHDR",
            Self.big32(width) + Self.big32(height) + [UInt8(depth), UInt8(colorType), 0, 0, UInt8(interlace)])
        for (type, data) in before { file += Self.chunk(type, data) }
        var rest = stream[...]
        repeat {
            file += Self.chunk("IDAT", Array(rest.prefix(chunkSize)))
            rest = rest.dropFirst(chunkSize)
        } while !rest.isEmpty
        for (type, data) in after { file += Self.chunk(type, data) }
        return Data(file + Self.chunk("IEND", []))
    }

    /// Rows of random bytes, each with a random filter type.
    func noise(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for (rowWidth, rowCount) in passes where rowWidth > 0 {
            for _ in 0..<rowCount {
                bytes.append(UInt8(generator.next() % 5))
                for _ in 0..<(rowWidth * depth * channels + 7) / 8 {
                    bytes.append(UInt8(truncatingIfNeeded: generator.next()))
                }
            }
        }
        return bytes
    }

    /// Width and height of each pass.
    private var passes: [(Int, Int)] {
        guard interlace == 1 else { return [(width, height)] }
        let steps = [
            (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
        ]
        return steps.map { x, y, stepX, stepY in
            ((width - x + stepX - 1) / stepX, (height - y + stepY - 1) / stepY)
        }
    }

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return big32(data.count) + body + big32(Int(crc(body)))
    }

    /// Bytes of the seven passes of grays of 8 bits, each row with its filter type.
    static func interlacedSize(_ width: Int, _ height: Int) -> Int {
        let passes = [
            (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
        ]
        return passes.reduce(0) { sum, pass in
            let columns = (width - pass.0 + pass.2 - 1) / pass.2
            let rows = (height - pass.1 + pass.3 - 1) / pass.3
            return columns > 0 ? sum + max(0, rows) * (columns + 1) : sum
        }
    }

    static func big32(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    /// A zlib stream of stored blocks.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(65_535)
            let low = UInt8(truncatingIfNeeded: block.count)
            let high = UInt8(truncatingIfNeeded: block.count >> 8)
            stream += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        } while !rest.isEmpty
        var (a, b) = (UInt32(1), UInt32(0))
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return stream + big32(Int(b << 16 | a))
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crcTable[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
    }
}
