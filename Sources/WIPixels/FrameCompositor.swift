// SPDX-License-Identifier: MIT
package import WICore

/// Paints the frames of one animation for one reader.
package protocol FramePainter: AnyObject, Sendable {
    /// Paints frame `index` over what is on the canvas: RGBA or BGRA of 8 bits, straight alpha.
    ///
    /// Nothing outside the frame's area may be touched. Where the frame `standsAlone`, what is there need not shine through:
    /// it is transparent, or painted over.
    /// - Returns: whether all of the frame's pixels were there.
    func paint(
        _ index: Int, onto canvas: UnsafeMutableRawBufferPointer, bytesPerRow: Int, standsAlone: Bool,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool
}

/// One canvas, on which the frames of an animation are painted and disposed of in their order.
///
/// It holds the canvas, and what one frame restores, however many frames there are.
struct FrameCompositor: ~Copyable, Sendable {
    private var timeline: FrameTimeline
    private var canvas: MutablePixels
    private var saved: MutablePixels?
    /// The frame that the canvas shows; nil where it shows none, or half of one.
    private var shown: Int?
    /// Whether pixels of some frame were missing.
    private var isIncomplete = false

    init(_ timeline: FrameTimeline, format: PixelFormat) throws(ImageError) {
        self.timeline = timeline
        canvas = try MutablePixels(
            width: timeline.canvas.width, height: timeline.canvas.height, format: format)
    }

    /// Frames so far.
    var count: Int { timeline.steps.count }

    /// Adds a frame behind the others.
    mutating func append(_ step: FrameStep) { timeline.append(step) }

    /// A copy of the canvas with frame `index`, which must be one of the timeline.
    mutating func frame(
        at index: Int, _ painter: any FramePainter, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        while shown != index {
            let key = timeline.key(for: index)
            if let shown, shown < index, key <= shown + 1 {
                _ = try show(shown + 1, painter, work)
            } else {
                clear()
                // Begun too late, where what was there shines through the key after all.
                if try show(key, painter, work) { shown = nil }
            }
        }
        return try copy()
    }

    /// Paints the frame after the one that is shown.
    ///
    /// - Returns: whether it was taken to stand alone and does not.
    private mutating func show(
        _ index: Int, _ painter: any FramePainter, _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        try work.checkCancellation(.decode)
        if let shown { dispose(timeline.steps[shown]) }
        let step = timeline.steps[index]
        shown = nil
        var isWhole = true
        if let area = step.area {
            if step.disposal == .restore { try save(area) }
            let (stride, standsAlone) = (canvas.bytesPerRow, timeline.standsAlone(index))
            isWhole = try canvas.withUnsafeMutableBytes { bytes throws(ImageError) in
                try painter.paint(index, onto: bytes, bytesPerRow: stride, standsAlone: standsAlone, work)
            }
        }
        shown = index
        if isWhole { return false }
        isIncomplete = true
        return timeline.noteMissingPixels(of: index)
    }

    private mutating func clear() {
        shown = nil
        canvas.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    private mutating func dispose(_ step: FrameStep) {
        guard let area = step.area else { return }
        switch step.disposal {
        case .keep: return
        case .clear:
            let rows = FrameRows(area, canvas)
            canvas.withUnsafeMutableBytes { bytes in
                for row in rows.ranges {
                    _ = UnsafeMutableRawBufferPointer(rebasing: bytes[row])
                        .initializeMemory(as: UInt8.self, repeating: 0)
                }
            }
        case .restore: restore(area)
        }
    }

    private mutating func save(_ area: FrameArea) throws(ImageError) {
        if saved?.width != area.width || saved?.height != area.height {
            saved = nil
            saved = try MutablePixels(uninitialized: area.width, height: area.height, format: canvas.format)
        }
        exchange(area) { canvas, saved in saved.copyMemory(from: UnsafeRawBufferPointer(canvas)) }
    }

    private mutating func restore(_ area: FrameArea) {
        exchange(area) { canvas, saved in canvas.copyMemory(from: UnsafeRawBufferPointer(saved)) }
    }

    /// Calls `body` with each row of the area on the canvas and where it is saved.
    private mutating func exchange(
        _ area: FrameArea,
        _ body: (_ canvas: UnsafeMutableRawBufferPointer, _ saved: UnsafeMutableRawBufferPointer) -> Void
    ) {
        let rows = FrameRows(area, canvas)
        canvas.withUnsafeMutableBytes { bytes in
            saved?.withUnsafeMutableBytes { block in
                for (index, row) in rows.ranges.enumerated() {
                    body(
                        UnsafeMutableRawBufferPointer(rebasing: bytes[row]),
                        UnsafeMutableRawBufferPointer(
                            rebasing: block[index * rows.length..<(index + 1) * rows.length]))
                }
            }
        }
    }

    private mutating func copy() throws(ImageError) -> PixelBuffer {
        try canvas.copy(alphaMode: timeline.isAlwaysOpaque && !isIncomplete ? .opaque : .straight)
    }
}

extension MutablePixels {
    /// What the pixels are now.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory`.
    package mutating func copy(alphaMode: AlphaMode) throws(ImageError) -> PixelBuffer {
        var result = try MutablePixels(
            uninitialized: width, height: height, format: format, alphaMode: alphaMode)
        withUnsafeMutableBytes { bytes in
            result.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(bytes)) }
        }
        return result.publish()
    }
}

/// Where the rows of an area lie on a canvas, in bytes.
private struct FrameRows {
    let length: Int
    private let start: Int
    private let stride: Int
    private let count: Int

    init(_ area: FrameArea, _ canvas: borrowing MutablePixels) {
        let pixel = canvas.format.bytesPerPixel
        length = area.width * pixel
        stride = canvas.bytesPerRow
        start = area.y * stride + area.x * pixel
        count = area.height
    }

    var ranges: some Sequence<Range<Int>> {
        (0..<count).lazy.map { [start, stride, length] row in
            start + row * stride..<start + row * stride + length
        }
    }
}
