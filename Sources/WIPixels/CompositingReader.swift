// SPDX-License-Identifier: MIT
package import WICore

/// A cursor over an animation that is composited frame by frame, for any codec that can paint its frames.
package final class CompositingReader: FrameReader {
    private let compositor: Locked<FrameCompositor>
    private let count: Int
    private let options: DecodeOptions
    private let size: PixelSize

    /// A reader of these frames, which come in the size, format and alpha that `options` ask for.
    ///
    /// The painter is this reader's own.
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package init(
        _ timeline: FrameTimeline, _ options: DecodeOptions, _ painter: any FramePainter
    ) throws(ImageError) {
        let format: PixelFormat = options.pixelFormat == .bgra8 ? .bgra8 : .rgba8
        compositor = Locked(try FrameCompositor(timeline, format: format, painter))
        count = timeline.steps.count
        self.options = options
        size = options.targetSize(for: timeline.canvas, frameCount: count)
    }

    package func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer {
        guard index >= 0, index < count else {
            throw ImageError(
                .invalidArgument, stage: .decode,
                "The animation has \(count) frames, counted from 0; there is no frame \(index).")
        }
        var pixels = try compositor.withLock { compositor throws(ImageError) in
            try compositor.frame(at: index, work)
        }
        pixels = try pixels.resized(to: size, filter: .lanczos3, work)
        let alpha: AlphaMode =
            options.premultiplies && pixels.alphaMode == .straight ? .premultiplied : pixels.alphaMode
        return try pixels.converted(to: options.pixelFormat, alphaMode: alpha)
    }
}
