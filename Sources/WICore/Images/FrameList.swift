// SPDX-License-Identifier: MIT

/// An animation of pictures that are in memory.
public struct FrameList: FrameSource {
    /// The size of every picture.
    public let canvasSize: PixelSize
    /// How long each is shown.
    public let frames: [FrameInfo]
    /// How often the animation plays; 0 is for ever.
    public let loopCount: Int
    private let pictures: [PixelBuffer]

    /// An animation of these pictures, each shown for so many milliseconds; `loopCount` 0 is for ever.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` when there is none, or they are not of one size.
    public init(
        _ pictures: [(pixels: PixelBuffer, durationMilliseconds: Double)], loopCount: Int = 0
    ) throws(ImageError) {
        guard let first = pictures.first, pictures.allSatisfy({ $0.pixels.size == first.pixels.size }) else {
            throw ImageError(
                .invalidArgument, stage: .encode,
                "An animation needs pictures, all of one size; resize them first.")
        }
        self.pictures = pictures.map(\.pixels)
        self.loopCount = loopCount
        canvasSize = first.pixels.size
        frames = pictures.map { FrameInfo(durationMilliseconds: $0.durationMilliseconds) }
    }

    /// All frames of another animation, decoded now.
    ///
    /// - Throws: ``ImageError`` with code `frameLimit` when together they take more than `limit`; what the reader throws
    ///   where a frame cannot be decoded.
    public init(decoding source: any FrameSource, limit: ByteCount, _ work: borrowing WorkContext) throws {
        let cost = ByteCount.saturating(
            source.frames.count, source.canvasSize.width, source.canvasSize.height, 4)
        guard cost <= limit else {
            throw ImageError(
                .frameLimit, stage: .decode,
                "All frames in memory take \(cost), more than the limit of \(limit); do not preload them.")
        }
        let reader = try source.makeReader()
        var pictures: [PixelBuffer] = []
        for index in source.frames.indices { pictures.append(try reader.frame(at: index, work)) }
        self.pictures = pictures
        canvasSize = source.canvasSize
        frames = source.frames
        loopCount = source.loopCount
    }

    /// The bytes of all pictures.
    public var memoryCost: ByteCount { pictures.reduce(.zero) { $0 + $1.byteCount } }

    /// A cursor over the pictures.
    public func makeReader() -> any FrameReader { Reader(pictures) }

    private final class Reader: FrameReader {
        private let pictures: [PixelBuffer]

        init(_ pictures: [PixelBuffer]) { self.pictures = pictures }

        func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer {
            guard pictures.indices.contains(index) else {
                throw ImageError(
                    .invalidArgument, stage: .decode,
                    "The animation has \(pictures.count) frames, counted from 0; there is no frame \(index).")
            }
            return pictures[index]
        }
    }
}
