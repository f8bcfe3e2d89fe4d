// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels

/// A file that arrives: its default image's rows or passes, then the frames of an animation.
struct PNGArrivingPicture: ~Copyable, ArrivingPicture {
    private let options: DecodeOptions
    private var data = Data()
    private var head = PNGHead()
    private var stream: PNGStream?
    private var frames: ArrivingFrames?
    private var finish: PictureFinish?

    init(_ options: DecodeOptions) { self.options = options }

    mutating func append(_ bytes: Data, _ work: borrowing WorkContext) throws(ImageError) {
        data.append(bytes)
        if data.count >= head.needed { _ = try head.read(data.bytes) }
        guard head.firstIDAT != nil, let header = head.header else { return }
        if stream == nil { try begin(header) }
        try stream?.feed(data, head)
        try noteFrames(header)
    }

    private mutating func begin(_ header: PNGHeader) throws(ImageError) {
        if head.isCgBI { throw PNGHead.isCgBI }
        if options.scaleDownLimit != nil, !options.firstFrameOnly, head.animation.plays != nil {
            throw ArrivingFrames.unknownCount
        }
        try options.limits.check(header.size, format: .png)
        let orientation = options.appliesOrientation ? head.orientation(data.bytes) : .up
        let target = options.targetSize(for: orientation.displaySize(of: header.size))
        finish = PictureFinish(
            options, size: orientation.exchangesSides ? target.transposed : target, orientation: orientation)
        stream = try PNGStream(head, header, options)
    }

    private mutating func noteFrames(_ header: PNGHeader) throws(ImageError) {
        guard !options.firstFrameOnly, let finish else { return }
        let whole = head.animation.finished(hasEnd: head.hasEnd)
        let seen = head.animation.hasDefaultFrame ? 1 : 0
        guard whole.count > seen else { return }
        if frames == nil {
            frames = try ArrivingFrames(canvas: header.size, finish, options.limits, .png, seen: seen)
        }
        for frame in whole[(frames?.count ?? 0)...] {
            try frames?.append(frame.step(on: header.size, hasAlpha: head.hasAlpha))
        }
    }

    mutating func preview(_ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer? {
        guard frames != nil else {
            guard let finish, let pixels = try stream?.pixels() else { return nil }
            return try finish.apply(pixels, work)
        }
        let painter = PNGFramePainter(data, head, head.animation.frames, options)
        return try frames?.newest(painter, work)
    }
}
