// SPDX-License-Identifier: MIT
internal import WebImage

/// The frames of another source, each changed when it is read.
struct ResizedFrames: FrameSource {
    let canvasSize: PixelSize
    private let source: any FrameSource
    private let transformer: ResizeTransformer

    /// `size` is what the transformer makes of the canvas.
    init(_ source: any FrameSource, _ transformer: ResizeTransformer, size: PixelSize) {
        self.source = source
        self.transformer = transformer
        canvasSize = size
    }

    var frames: [FrameInfo] { source.frames }
    var loopCount: Int { source.loopCount }
    var memoryCost: ByteCount { source.memoryCost }

    func makeReader() throws -> any FrameReader { Reader(try source.makeReader(), transformer) }

    private final class Reader: FrameReader {
        private let reader: any FrameReader
        private let transformer: ResizeTransformer

        init(_ reader: any FrameReader, _ transformer: ResizeTransformer) {
            self.reader = reader
            self.transformer = transformer
        }

        func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer {
            try transformer.transform(try reader.frame(at: index, work), work)
        }
    }
}
