// SPDX-License-Identifier: MIT
import FoundationEssentials

/// Writes animated PNG files of one-coloured frames chunk by chunk, also wrong ones.
struct APNGMaker {
    struct Frame {
        var color: [UInt8]
        var width: Int
        var height: Int
        var x = 0
        var y = 0
        var delay = (numerator: 1, denominator: 20)
        var disposal: UInt8 = 0
        var blend: UInt8 = 0
        /// Data chunks that it is cut into.
        var parts = 1
    }

    var width: Int
    var height: Int
    var plays = 0
    var statedFrames: Int?
    /// Whether the default image, which is grey, is no frame.
    var hidesDefault = false
    var frames: [Frame] = []
    /// Chunks before the picture data, such as an EXIF block.
    var before: [(String, [UInt8])] = []

    var data: Data { Self.file(chunks) }

    /// Name and data of every chunk.
    var chunks: [(String, [UInt8])] {
        var sequence = 0
        func number() -> [UInt8] {
            defer { sequence += 1 }
            return PNGMaker.big32(sequence)
        }
        var chunks: [(String, [UInt8])] = [
            ("IHDR", PNGMaker.big32(width) + PNGMaker.big32(height) + [8, 6, 0, 0, 0]),
            ("acTL", PNGMaker.big32(statedFrames ?? frames.count) + PNGMaker.big32(plays)),
        ]
        chunks += before
        if hidesDefault { chunks.append(("IDAT", Self.stream([128, 128, 128, 255], width, height))) }
        for (index, frame) in frames.enumerated() {
            chunks.append(("fcTL", number() + Self.control(frame)))
            let stream = Self.stream(frame.color, frame.width, frame.height)
            let size = (stream.count + frame.parts - 1) / frame.parts
            for start in stride(from: 0, to: stream.count, by: size) {
                let part = Array(stream[start..<min(stream.count, start + size)])
                let isDefault = index == 0 && !hidesDefault
                chunks.append(isDefault ? ("IDAT", part) : ("fdAT", number() + part))
            }
        }
        return chunks + [("IEND", [])]
    }

    private static func control(_ frame: Frame) -> [UInt8] {
        let sides = [frame.width, frame.height, frame.x, frame.y].flatMap { PNGMaker.big32($0) }
        let delay = [frame.delay.numerator, frame.delay.denominator].flatMap { PNGMaker.big32($0).suffix(2) }
        return sides + delay + [frame.disposal, frame.blend]
    }

    private static func stream(_ color: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
        let row: [UInt8] = [0] + [[UInt8]](repeating: color, count: width).flatMap { $0 }
        return PNGMaker.stored([[UInt8]](repeating: row, count: height).flatMap { $0 })
    }

    /// The file of other chunks.
    static func file(_ chunks: [(String, [UInt8])]) -> Data {
        Data(PNGHeaderBytes.signature + chunks.flatMap { PNGMaker.chunk($0.0, $0.1) })
    }
}

enum PNGHeaderBytes {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
}
