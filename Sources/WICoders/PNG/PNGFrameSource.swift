// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore
internal import WIPixels

/// The frames of an animated file, which it keeps.
struct PNGFrameSource: FrameSource {
    let canvasSize: PixelSize
    let frames: [FrameInfo]
    let loopCount: Int
    private let data: Data
    private let head: PNGHead
    private let images: [PNGFrame]
    private let timeline: FrameTimeline
    private let options: DecodeOptions
    private let orientation: Orientation

    /// These frames of the file that `decoder` reads, at the size that its options ask for.
    init(_ decoder: PNGDecoder, _ images: [PNGFrame]) {
        let (head, canvas) = (decoder.head, decoder.header.size)
        (data, self.head, self.images) = (decoder.data, head, images)
        timeline = FrameTimeline(
            images.map { $0.step(on: canvas, hasAlpha: head.hasAlpha) }, canvas: canvas)
        orientation = decoder.orientation
        var options = decoder.options
        // The reader sees frames as stored.
        (options.scaleDownLimit, options.thumbnailSize, options.preservesAspectRatio) = (
            nil, decoder.storedTarget, false
        )
        self.options = options
        canvasSize = orientation.displaySize(of: decoder.storedTarget)
        frames = images.map { FrameInfo(durationMilliseconds: $0.durationMilliseconds) }
        loopCount = head.animation.plays ?? 0
    }

    var memoryCost: ByteCount {
        ByteCount(data.count)
            + .saturating(
                images.count,
                MemoryLayout<PNGFrame>.stride + MemoryLayout<FrameStep>.stride
                    + MemoryLayout<FrameInfo>.stride)
    }

    func makeReader() throws -> any FrameReader {
        let reader = try CompositingReader(timeline, options, PNGFramePainter(data, head, images, options))
        return orientation == .up ? reader : OrientedReader(reader, orientation)
    }
}

/// Decodes frames onto the canvas of one reader.
final class PNGFramePainter: FramePainter {
    private let data: Data
    private let head: PNGHead
    private let frames: [PNGFrame]
    private let options: DecodeOptions

    init(_ data: Data, _ head: PNGHead, _ frames: [PNGFrame], _ options: DecodeOptions) {
        self.data = data
        self.head = head
        self.frames = frames
        var options = options
        options.pixelFormat = options.pixelFormat == .bgra8 ? .bgra8 : .rgba8
        self.options = options
    }

    func paint(
        _ index: Int, onto canvas: UnsafeMutableRawBufferPointer, bytesPerRow: Int, standsAlone: Bool,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        let frame = frames[index]
        let picture = try PNGDecoder.frame(frame, head, data, options)
        let place = PNGRows(
            bytes: UnsafeMutableRawBufferPointer(
                rebasing: canvas[(frame.y * bytesPerRow + frame.x * picture.format.bytesPerPixel)...]),
            stride: bytesPerRow)
        let replaces = standsAlone || !frame.blends || !head.hasAlpha
        if replaces, try picture.decodeWhole(place, nil, work) { return true }
        return try paint(picture, onto: place, blends: !replaces, work)
    }

    /// By way of a picture of its own: to be blended, or because rows may be missing.
    private func paint(
        _ picture: PNGDecoder, onto place: PNGRows, blends: Bool, _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        let size = picture.header.size
        var layer = try MutablePixels(
            uninitialized: size.width, height: size.height, format: picture.format)
        return try layer.withRows { rows throws(ImageError) in
            let (count, isWhole) = try decode(picture, rows, work)
            guard let above = rows.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                let below = place.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            else { return false }
            for row in 0..<count {
                wi_png_paint_row(above + row * rows.stride, below + row * place.stride, size.width, blends)
            }
            return isWhole
        }
    }

    /// The rows that can be had.
    private func decode(
        _ picture: PNGDecoder, _ rows: PNGRows, _ work: borrowing WorkContext
    ) throws(ImageError) -> (rows: Int, isWhole: Bool) {
        let height = picture.header.size.height
        do throws(ImageError) {
            if try picture.decodeWhole(rows, nil, work) { return (height, true) }
            let report = try picture.decodeByLibrary(rows, nil, work)
            guard report.failed else { return (height, true) }
            var metadata = ImageMetadata(storedSize: picture.header.size)
            try picture.noteDamage(report, &metadata)
            // Of an interlaced frame, all rows are coarse.
            return (picture.header.isInterlaced ? height : Int(report.rows), false)
        } catch {
            let isDamage = error.code == .corruptData || error.code == .truncatedData
            guard isDamage, options[PNGDecoding.self].strictness == .lenient else { throw error }
            return (0, false)
        }
    }
}
