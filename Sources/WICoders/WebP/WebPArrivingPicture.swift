// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels

/// A file that arrives: the rows of a still, or of an animation's first frame, then the other frames.
struct WebPArrivingPicture: ~Copyable, ArrivingPicture {
    private let options: DecodeOptions
    private var data = Data()
    private var readings = HeadReadings()
    private var stream: WebPStream?
    private var frames: WebPArrivingFrames?

    init(_ options: DecodeOptions) { self.options = options }

    mutating func append(_ bytes: Data, _ work: borrowing WorkContext) throws(ImageError) {
        data.append(bytes)
        if stream == nil {
            guard readings.isDue(data.count), let head = try head() else { return }
            try begin(head)
        }
        try stream?.feed(data)
        try frames?.advance(data)
    }

    /// The head; nil while it is not whole.
    private mutating func head() throws(ImageError) -> WebPHead? {
        var head = WebPHead()
        guard case .needs(let count) = try head.read(data.bytes) else { return head }
        readings.note(data.count, needed: count)
        return nil
    }

    private mutating func begin(_ head: WebPHead) throws(ImageError) {
        let isAnimation = head.firstFrame != nil && !options.firstFrameOnly
        if isAnimation, options.scaleDownLimit != nil { throw ArrivingFrames.unknownCount }
        let layout = try WebPStreamLayout(head, data, options)
        stream = try WebPStream(layout, options)
        if isAnimation, let first = head.frameOffsets.first {
            frames = WebPArrivingFrames(layout.plan, canvas: layout.animationCanvas, options, from: first)
        }
    }

    mutating func preview(_ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer? {
        if frames?.isShown ?? false { return try frames?.newest(data, work) }
        guard let (pixels, plan) = try stream?.pixels() else { return nil }
        return try PictureFinish(options, size: plan.target, orientation: plan.orientation).apply(
            pixels, work)
    }
}

/// The frames of an animation that arrives, each once it is whole.
struct WebPArrivingFrames: ~Copyable {
    private let finish: PictureFinish
    private let options: DecodeOptions
    private let canvas: PixelSize
    private var images: [WebPFrame?] = []
    private var frames: ArrivingFrames?
    /// The chunk that is read next.
    private var offset: Int

    init(_ plan: WebPPlan, canvas: PixelSize, _ options: DecodeOptions, from offset: Int) {
        finish = PictureFinish(options, size: plan.target, orientation: plan.orientation)
        self.options = options
        self.canvas = canvas
        self.offset = offset
    }

    /// Whether there are frames behind the first.
    var isShown: Bool { images.count > 1 }

    /// Reads the chunks that are whole.
    ///
    /// - Throws: `frameLimit` or `outOfMemory`.
    mutating func advance(_ data: Data) throws(ImageError) {
        let bytes = data.bytes
        while let chunk = WebPChunk(bytes, at: offset), chunk.isWhole(bytes) {
            offset = chunk.end
            guard chunk.hasName("ANMF") else { continue }
            var needed = 0
            // One that is none keeps its place, as in the whole file.
            images.append(try? WebPFrame(bytes, chunk, canvas: canvas, needed: &needed))
        }
        guard isShown else { return }
        if frames == nil {
            frames = try ArrivingFrames(canvas: canvas, finish, options.limits, .webp, seen: 1)
        }
        for image in images[(frames?.count ?? 0)...] { try frames?.append(image.step(on: canvas)) }
    }

    mutating func newest(_ data: Data, _ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer? {
        try frames?.newest(WebPFramePainter(data, images, options), work)
    }
}
