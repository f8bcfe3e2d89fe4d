// SPDX-License-Identifier: MIT

/// An animation whose frames go through a transformer one by one, as they are read.
public struct TransformedFrames: FrameSource {
    /// The size of every frame that comes out.
    public let canvasSize: PixelSize
    private let source: any FrameSource
    private let transformer: any Transformer

    /// The frames of `source` as `transformer` makes them; `canvasSize` is the size of what it makes of the first.
    public init(_ source: any FrameSource, _ transformer: any Transformer, canvasSize: PixelSize) {
        self.source = source
        self.transformer = transformer
        self.canvasSize = canvasSize
    }

    /// The times of the source's frames.
    public var frames: [FrameInfo] { source.frames }
    /// How often the source plays; 0 is for ever.
    public var loopCount: Int { source.loopCount }
    /// What the source holds in memory: transformed frames are kept nowhere.
    public var memoryCost: ByteCount { source.memoryCost }

    /// A cursor of its own, over one of the source's.
    ///
    /// - Throws: what the source throws.
    public func makeReader() throws -> any FrameReader {
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
