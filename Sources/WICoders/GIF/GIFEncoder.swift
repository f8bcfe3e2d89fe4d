// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import GIFShim
internal import WICore
internal import WIPixels

/// One encode.
///
/// Equal pictures and options give equal bytes. Of an animation, each frame paints what differs from what is shown, within
/// the smallest rectangle; three canvases are held.
struct GIFEncoder {
    private let image: DecodedImage
    private let options: EncodeOptions
    private let settings: GIFEncoding
    private let indexer: GIFIndexer
    private let size: PixelSize

    init(_ image: DecodedImage, _ options: EncodeOptions) throws(ImageError) {
        size = image.frames?.canvasSize ?? image.size
        guard max(size.width, size.height) <= GIFWriter.longestSide else {
            throw ImageError(
                .dimensionLimit, stage: .encode,
                "GIF has sides of at most \(GIFWriter.longestSide) pixels, and the picture is \(size); resize it first."
            )
        }
        self.image = image
        self.options = options
        settings = options[GIFEncoding.self]
        indexer = GIFIndexer(settings)
    }

    func encode(_ work: borrowing WorkContext) throws -> Data {
        guard let source = image.frames else {
            let pixels = image.pixels
            return try encode(1, loops: 1, work) { _ in (pixels, 0) }
        }
        let reader = try source.makeReader()
        let delays = GIFDelays(source.frames.map(\.durationMilliseconds)).hundredths
        return try encode(source.frames.count, loops: source.loopCount, work) { index in
            (try reader.frame(at: index, work), delays[index])
        }
    }

    private func encode(
        _ count: Int, loops: Int, _ work: borrowing WorkContext,
        _ frame: (Int) throws -> (PixelBuffer, Int)
    ) throws -> Data {
        let (first, firstDelay) = try frame(0)
        var shown = try MutablePixels(width: size.width, height: size.height)
        var current = try seen(first)
        var step = Step(
            area: wi_gif_rectangle(x: 0, y: 0, width: size.width, height: size.height), delay: firstDelay)
        var output: Output?
        for index in 1..<max(1, count) {
            try work.checkCancellation(.encode)
            let (pixels, delay) = try frame(index)
            var next = try seen(pixels)
            let cleared = Self.compare(&current, &next).cleared
            if cleared.width > 0 {
                step.area = step.area.union(cleared)
                step.isCleared = true
            }
            try write(&shown, &current, step, loops, &output)
            shown = consume current
            if step.isCleared { Self.clear(&shown, step.area) }
            current = consume next
            let painted = Self.compare(&shown, &current).painted
            step = Step(
                area: painted.width > 0 ? painted : wi_gif_rectangle(x: 0, y: 0, width: 1, height: 1),
                delay: delay)
        }
        try work.checkCancellation(.encode)
        try write(&shown, &current, step, loops, &output)
        output?.writer.appendTrailer()
        return output?.writer.file ?? Data()
    }

    /// What is decided about a frame before the next one is seen.
    private struct Step {
        var area: wi_gif_rectangle
        var delay: Int
        var isCleared = false
    }

    private struct Output {
        var writer: GIFWriter
        let table: GIFColorTable
    }

    private func write(
        _ shown: inout MutablePixels, _ current: inout MutablePixels, _ step: Step, _ loops: Int,
        _ output: inout Output?
    ) throws(ImageError) {
        let (cutOut, whole) = shown.withUnsafeMutableBytes { shown in
            current.withUnsafeMutableBytes { current in
                (
                    GIFCutOut(shown.pixels, current.pixels, size.width, step.area),
                    GIFCutOut(nil, current.pixels, size.width, step.area)
                )
            }
        }
        // The colours of the first frame serve the others where they have no more.
        if let table = output?.table, indexer.isExact(table, cutOut) {
            let frame = try smallest(cutOut, whole, table, isExact: true)
            output?.writer.append(frame, nil, disposal: step.isCleared ? 2 : 1, delay: step.delay)
            return
        }
        let isStill = (image.frames?.frames.count ?? 1) == 1
        let (table, isExact) = try indexer.table(cutOut, sparesHole: output == nil && !isStill)
        let frame = try smallest(cutOut, whole, table, isExact: isExact)
        if output != nil {
            output?.writer.append(frame, table, disposal: step.isCleared ? 2 : 1, delay: step.delay)
            return
        }
        var writer = GIFWriter(size, table)
        writer.appendLoops(loops)
        appendMetadata(&writer)
        writer.append(frame, nil, disposal: step.isCleared ? 2 : isStill ? 0 : 1, delay: step.delay)
        output = Output(writer: writer, table: table)
    }

    /// Painting again what is there already can make longer strings than leaving it out: the smaller of both.
    private func smallest(
        _ cutOut: GIFCutOut, _ whole: GIFCutOut, _ table: GIFColorTable, isExact: Bool
    ) throws(ImageError) -> GIFIndexedFrame {
        let frame = try indexer.frame(cutOut, table, isExact: isExact)
        guard isExact, cutOut.hasHoles, !whole.hasHoles, indexer.isExact(table, whole) else { return frame }
        let repainted = try indexer.frame(whole, table, isExact: true)
        return repainted.pictureData.count < frame.pictureData.count ? repainted : frame
    }

    private func appendMetadata(_ writer: inout GIFWriter) {
        if options.keepsICCProfile, let profile = image.metadata.iccProfile { writer.appendProfile(profile) }
        if options.keepsXMP, let packet = image.metadata.xmp { writer.appendXMP(packet) }
    }

    /// The pixels with nothing between opaque and transparent.
    private func seen(_ pixels: PixelBuffer) throws(ImageError) -> MutablePixels {
        guard pixels.size == size else {
            throw ImageError(
                .encodeFailed, stage: .encode,
                "A frame is \(pixels.size) where the animation's canvas is \(size): they must be alike.")
        }
        let plain = try pixels.converted(
            to: .rgba8, alphaMode: pixels.alphaMode == .opaque ? .opaque : .straight)
        var result = try MutablePixels(uninitialized: size.width, height: size.height)
        let (rows, stride, length) = (size.height, plain.bytesPerRow, size.width * 4)
        plain.withUnsafeBytes { source in
            result.withUnsafeMutableBytes { target in
                guard let from = source.baseAddress, let into = target.baseAddress else { return }
                for row in 0..<rows {
                    (into + row * length).copyMemory(from: from + row * stride, byteCount: length)
                }
                wi_gif_threshold(target.pixels, size.width * rows, max(1, settings.alphaThreshold))
            }
        }
        return result
    }

    private static func compare(
        _ shown: inout MutablePixels, _ next: inout MutablePixels
    ) -> (painted: wi_gif_rectangle, cleared: wi_gif_rectangle) {
        var (painted, cleared) = (wi_gif_rectangle(), wi_gif_rectangle())
        let (width, height) = (next.width, next.height)
        shown.withUnsafeMutableBytes { shown in
            next.withUnsafeMutableBytes { next in
                wi_gif_compare(shown.pixels, next.pixels, width, height, &painted, &cleared)
            }
        }
        return (painted, cleared)
    }

    private static func clear(_ canvas: inout MutablePixels, _ area: wi_gif_rectangle) {
        let width = canvas.width
        canvas.withUnsafeMutableBytes { bytes in
            for row in area.y..<area.y + area.height {
                let start = (row * width + area.x) * 4
                UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + area.width * 4])
                    .initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// The same memory as pixels of four bytes.
    fileprivate var pixels: UnsafeMutablePointer<UInt32>? {
        baseAddress?.assumingMemoryBound(to: UInt32.self)
    }
}

extension wi_gif_rectangle {
    fileprivate func union(_ other: wi_gif_rectangle) -> wi_gif_rectangle {
        let left = min(x, other.x)
        let top = min(y, other.y)
        return wi_gif_rectangle(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}

/// Durations in the hundredths of a second that GIF has, rounded so that the animation as a whole keeps its time.
struct GIFDelays {
    let hundredths: [Int]

    init(_ milliseconds: [Double]) {
        var (exact, whole) = (0.0, 0)
        hundredths = milliseconds.map { duration in
            let duration = duration.isFinite ? min(max(0, duration), 655_350) : 0
            exact += duration / 10
            let delay = min(max(0, Int(exact.rounded()) - whole), 65_535)
            whole += delay
            return delay
        }
    }
}
