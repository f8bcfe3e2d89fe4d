// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels

/// A file that arrives: its first frame's rows, then whole frames.
struct GIFArrivingPicture: ~Copyable, ArrivingPicture {
    private let options: DecodeOptions
    private var data = Data()
    private var head = GIFHead()
    /// Bytes that it takes before the head is read on.
    private var due = 0
    private var first: GIFArrivingFrame?
    private var frames: ArrivingFrames?

    init(_ options: DecodeOptions) { self.options = options }

    mutating func append(_ bytes: Data, _ work: borrowing WorkContext) throws(ImageError) {
        data.append(bytes)
        try readHead()
        if first == nil, let frame = head.frames.first {
            try options.limits.check(head.canvasSize, format: .gif)
            try options.limits.check(frame.size, format: .gif)
            first = try GIFArrivingFrame(frame, canvas: head.canvasSize, options, data)
        }
        try first?.expand(data, work)
        try noteFrames()
    }

    private mutating func readHead() throws(ImageError) {
        guard data.count >= due, !head.hasTrailer, !(options.firstFrameOnly && head.wholeFrames > 0) else {
            return
        }
        _ = try head.read(
            data.bytes, to: options.firstFrameOnly ? .firstFrame : .all, most: options.limits.frames)
        // Not again for every byte that comes.
        due = head.isAmongStrayBytes ? data.count + data.count / 8 : head.wanted
    }

    private mutating func noteFrames() throws(ImageError) {
        guard head.wholeFrames > 1 else { return }
        let canvas = head.canvasSize
        if frames == nil {
            frames = try ArrivingFrames(
                canvas: canvas, PictureFinish(options, canvas: canvas), options.limits, .gif, seen: 1)
        }
        for frame in head.frames[(frames?.count ?? 0)..<head.wholeFrames] {
            if frame.touches(canvas) { try options.limits.check(frame.size, format: .gif) }
            try frames?.append(frame.step(on: canvas, data.bytes))
        }
    }

    mutating func preview(_ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer? {
        guard frames != nil else { return try first?.preview(work) }
        let painter = try GIFFramePainter(data, head.frames, head.canvasSize, options)
        return try frames?.newest(painter, work)
    }
}

extension PictureFinish {
    init(_ options: DecodeOptions, canvas: PixelSize) {
        self.init(options, size: options.targetSize(for: canvas))
    }
}
