// SPDX-License-Identifier: MIT

/// An animation whose frames go through a transformer one by one, as they are read.
final class TransformedFrames: FrameSource {
    private let source: any FrameSource
    private let transformer: any Transformer
    let canvasSize: PixelSize
    var frames: [FrameInfo] { source.frames }
    var loopCount: Int { source.loopCount }
    var memoryCost: ByteCount { source.memoryCost }

    /// The frames of `source` as `transformer` makes them; `canvasSize` is what it made of the first.
    init(_ source: any FrameSource, _ transformer: any Transformer, canvasSize: PixelSize) {
        self.source = source
        self.transformer = transformer
        self.canvasSize = canvasSize
    }

    func makeReader() throws -> any FrameReader {
        Reader(reader: try source.makeReader(), transformer: transformer)
    }

    private final class Reader: FrameReader {
        private let reader: any FrameReader
        private let transformer: any Transformer

        init(reader: any FrameReader, transformer: any Transformer) {
            self.reader = reader
            self.transformer = transformer
        }

        func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer {
            try transformer.transform(try reader.frame(at: index, work), work)
        }
    }
}

/// An animation whose frames are all in memory.
final class PreloadedFrames: FrameSource {
    private let pixels: [PixelBuffer]
    let canvasSize: PixelSize
    let frames: [FrameInfo]
    let loopCount: Int
    let memoryCost: ByteCount

    /// Reads all frames of `source`.
    ///
    /// - Throws: when one cannot be decoded, or together they take more than `limit`.
    init(_ source: any FrameSource, limit: ByteCount, _ work: borrowing WorkContext) throws {
        let cost = ByteCount.saturating(
            source.frames.count, source.canvasSize.width, source.canvasSize.height, 4)
        guard cost <= limit else {
            throw ImageError(
                .frameLimit, stage: .decode,
                "All frames in memory take \(cost), more than the limit of \(limit); do not preload them.")
        }
        let reader = try source.makeReader()
        var pixels: [PixelBuffer] = []
        for index in source.frames.indices { pixels.append(try reader.frame(at: index, work)) }
        self.pixels = pixels
        canvasSize = source.canvasSize
        frames = source.frames
        loopCount = source.loopCount
        memoryCost = cost
    }

    func makeReader() throws -> any FrameReader { Reader(pixels: pixels) }

    private final class Reader: FrameReader {
        private let pixels: [PixelBuffer]

        init(pixels: [PixelBuffer]) { self.pixels = pixels }

        func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer {
            guard pixels.indices.contains(index) else {
                throw ImageError(
                    .invalidArgument, stage: .decode,
                    "There is no frame \(index); the animation has \(pixels.count), counted from 0.")
            }
            return pixels[index]
        }
    }
}
