// SPDX-License-Identifier: MIT
package import WICore

/// Composites the frames of an animation while they arrive, each of them once.
package struct ArrivingFrames: ~Copyable, Sendable {
    private var compositor: FrameCompositor
    private let finish: PictureFinish
    private let limits: DecodeLimits
    private let format: ImageFormat
    private var seen: Int
    private var pixels = 0

    /// An animation without frames so far, of which the first `seen` are shown by somebody else. Canvases go through
    /// `finish` before they are shown.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package init(
        canvas: PixelSize, _ finish: PictureFinish, _ limits: DecodeLimits, _ format: ImageFormat, seen: Int
    ) throws(ImageError) {
        self.finish = finish
        compositor = try FrameCompositor(FrameTimeline(canvas: canvas), format: finish.canvasFormat)
        self.limits = limits
        self.format = format
        self.seen = seen
    }

    /// Why nothing of an animation is shown that is to stay under a limit of bytes with all of its frames.
    package static var unknownCount: ImageError {
        ImageError(
            .unsupportedFeature, stage: .decode,
            "The size depends on the number of frames, which is not known before the end.")
    }

    /// Frames so far.
    package var count: Int { compositor.count }

    /// Adds a frame that is whole now.
    ///
    /// - Throws: ``ImageError`` with code `frameLimit`.
    package mutating func append(_ step: FrameStep) throws(ImageError) {
        guard count < limits.frames else {
            throw ImageError(
                .frameLimit, stage: .decode,
                "The \(format) file has more than the limit of \(limits.frames) frames; raise DecodeLimits.frames "
                    + "if you trust it.")
        }
        let area = step.area.map { $0.width * $0.height } ?? 0
        try limits.checkCompositing([pixels, area], format: format)
        pixels += area
        compositor.append(step)
    }

    /// The last frame as it is to be shown; nil where that was shown before.
    ///
    /// `painter` knows all frames so far.
    package mutating func newest(
        _ painter: any FramePainter, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer? {
        guard count > seen else { return nil }
        let canvas = try compositor.frame(at: count - 1, painter, work)
        seen = count
        return try finish.apply(canvas, work)
    }
}
