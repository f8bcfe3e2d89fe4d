// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore

/// A PNG file that is being written, chunk by chunk.
struct PNGFileWriter {
    static let longestChunk = 0x7FFF_FFFF

    private(set) var data: Data
    /// Of the next fcTL or fdAT chunk.
    private var sequence = 0

    /// A file of the signature alone.
    init(capacity: Int = 0) {
        data = Data(capacity: capacity + 1024)
        data.append(contentsOf: PNGHeader.signature)
    }

    /// Adds a chunk.
    ///
    /// - Throws: `metadataLimit` where it is longer than a chunk can be.
    mutating func append(_ type: StaticString, _ payload: Data) throws(ImageError) {
        guard payload.count <= Self.longestChunk else {
            throw ImageError(
                .metadataLimit, stage: .encode,
                "The \(type) chunk has \(ByteCount(payload.count)), more than PNG allows.")
        }
        data.append(Self.bigEndian(payload.count))
        let start = data.count
        data.append(contentsOf: Array("\(type)".utf8))
        data.append(payload)
        data.append(Self.bigEndian(PNGChunk.checksum(data.bytes, start..<data.count)))
    }

    /// Adds the picture's data, in several chunks where one does not hold them.
    mutating func appendPicture(_ stream: Data) throws(ImageError) {
        var rest = stream[...]
        while !rest.isEmpty {
            try append("IDAT", rest.prefix(Self.longestChunk))
            rest = rest.dropFirst(Self.longestChunk)
        }
    }

    /// Adds an animation's frame, which replaces what is in its area and stays; the first one is the picture's.
    mutating func appendFrame(_ stream: Data, at area: (x: Int, y: Int, size: PixelSize), milliseconds: Int)
        throws(ImageError)
    {
        let isFirst = sequence == 0
        var control = Self.bigEndian(nextSequence())
        for number in [area.size.width, area.size.height, area.x, area.y] {
            control += Self.bigEndian(number)
        }
        control += Self.bigEndian(milliseconds).suffix(2) + Self.bigEndian(1000).suffix(2) + [0, 0]
        try append("fcTL", control)
        if isFirst { return try appendPicture(stream) }
        var rest = stream[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.longestChunk - 4)
            try append("fdAT", Self.bigEndian(nextSequence()) + part)
            rest = rest.dropFirst(part.count)
        }
    }

    private mutating func nextSequence() -> Int {
        defer { sequence += 1 }
        return sequence
    }

    static func bigEndian(_ value: Int) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
    }
}
