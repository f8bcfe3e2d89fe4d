// SPDX-License-Identifier: MIT
package import WICore

/// A cursor over an animation that is composited frame by frame, for any codec that can paint its frames.
package final class CompositingReader: FrameReader {
    private let compositor: Locked<FrameCompositor>
    private let painter: any FramePainter
    private let count: Int
    private let finish: FrameFinish

    /// A reader of these frames, which come in the size, format and alpha that `options` ask for.
    ///
    /// The painter is this reader's own.
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package init(
        _ timeline: FrameTimeline, _ options: DecodeOptions, _ painter: any FramePainter
    ) throws(ImageError) {
        count = timeline.steps.count
        finish = FrameFinish(options, canvas: timeline.canvas, frameCount: count)
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

/// What is done to a composited canvas before it is handed over.
struct FrameFinish: Sendable {
    private let options: DecodeOptions
    private let size: PixelSize

    init(_ options: DecodeOptions, canvas: PixelSize, frameCount: Int) {
        self.options = options
        size = options.targetSize(for: canvas, frameCount: frameCount)
    }

    /// The 8-bit format in which frames are composited.
    var canvasFormat: PixelFormat { options.pixelFormat == .bgra8 ? .bgra8 : .rgba8 }

    /// The canvas in the size, format and alpha that were asked for.
    func apply(_ canvas: PixelBuffer, _ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer {
        let pixels = try canvas.resized(to: size, filter: .lanczos3, work)
        let alpha: AlphaMode =
            options.premultiplies && pixels.alphaMode == .straight ? .premultiplied : pixels.alphaMode
        return try pixels.converted(to: options.pixelFormat, alphaMode: alpha)
    }
}
