// SPDX-License-Identifier: MIT
package import WICore

/// A cursor over an animation that is composited frame by frame, for any codec that can paint its frames.
package final class CompositingReader: FrameReader {
    private let compositor: Locked<FrameCompositor>
    private let painter: any FramePainter
    private let count: Int
    private let finish: PictureFinish

    /// A reader of these frames, which come in the size, format and alpha that `options` ask for.
    ///
    /// The painter is this reader's own.
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package init(
        _ timeline: FrameTimeline, _ options: DecodeOptions, _ painter: any FramePainter
    ) throws(ImageError) {
        count = timeline.steps.count
        finish = PictureFinish(
            options, size: options.targetSize(for: timeline.canvas, frameCount: count))
        compositor = Locked(try FrameCompositor(timeline, format: finish.canvasFormat))
        self.painter = painter
    }

    package func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer {
        guard index >= 0, index < count else {
            throw ImageError(
                .invalidArgument, stage: .decode,
                "The animation has \(count) frames, counted from 0; there is no frame \(index).")
        }
        let pixels = try compositor.withLock { compositor throws(ImageError) in
            try compositor.frame(at: index, painter, work)
        }
        return try finish.apply(pixels, work)
    }
}
