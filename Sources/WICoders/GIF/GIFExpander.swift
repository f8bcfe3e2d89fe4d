// SPDX-License-Identifier: MIT
internal import GIFShim
internal import WICore

/// The one owner of an LZW decoder, with which frames are painted one after the other.
struct GIFExpander: ~Copyable, @unchecked Sendable {
    // Sendable: whoever owns the handle is the only one that touches what it points to.
    private let handle: OpaquePointer

    /// Pixels between two looks at the cancellation flag.
    private static let pixelsInBatch = 1 << 16

    /// How a frame's data ended.
    struct Ending: Sendable {
        fileprivate(set) var state = WI_GIF_DONE
        /// Pixels that came, in the order of the file.
        fileprivate(set) var pixels = 0

        fileprivate init(state: wi_gif_state) { self.state = state }

        /// Of a frame that is not expanded, because nothing of it is seen.
        init(unseen frame: GIFFrame, _ bytes: RawSpan) {
            guard let codeSize = bytes.byte(frame.data), 1...11 ~= codeSize else {
                state = WI_GIF_DAMAGED
                return
            }
        }

        /// Whether pixels are missing.
        var isIncomplete: Bool { state != WI_GIF_DONE && state != WI_GIF_MORE }
        /// Whether that is no decision of the file's.
        var isDamage: Bool { state == WI_GIF_CUT || state == WI_GIF_DAMAGED }
        /// Whether the file ends too early.
        var isCut: Bool { state == WI_GIF_CUT }

        /// What is wrong, in words.
        var reason: String {
            switch state {
            case WI_GIF_CUT: "the file ends within the picture data"
            case WI_GIF_DAMAGED: "the picture data hold a code that cannot be"
            default: "the picture data end before the last pixel"
            }
        }
    }

    init() throws(ImageError) {
        guard let handle = wi_gif_lzw_create() else { throw Self.outOfMemory }
        self.handle = handle
    }

    deinit { wi_gif_lzw_free(handle) }

    static var outOfMemory: ImageError {
        ImageError(
            .outOfMemory, stage: .decode, "There is no memory to decode the GIF file.", isRetryable: true)
    }

    /// Expands `frame`, and hands its indices over in batches of whole rows, the first pixel's number with each.
    ///
    /// It ends early where `visibleRows` are there.
    /// - Throws: `cancelled`, `outOfMemory`.
    func expand(
        _ frame: GIFFrame, of file: UnsafeRawBufferPointer, visibleRows: Int, _ work: borrowing WorkContext,
        _ take: (_ first: Int, _ indices: UnsafePointer<UInt8>, _ count: Int) -> Void
    ) throws(ImageError) -> Ending {
        try begin(frame, of: file, isGrowing: false)
        var ending = Ending(state: WI_GIF_MORE)
        try goOn(frame, &ending, visibleRows: visibleRows, work, take)
        if ending.pixels >= min(visibleRows, frame.height) * frame.width { ending.state = WI_GIF_DONE }
        return ending
    }

    private func begin(
        _ frame: GIFFrame, of file: UnsafeRawBufferPointer, isGrowing: Bool
    ) throws(ImageError) {
        guard let start = file.baseAddress?.assumingMemoryBound(to: UInt8.self),
            wi_gif_lzw_begin(
                handle, start, file.count, frame.data, UInt32(clamping: frame.width),
                UInt32(clamping: frame.height), isGrowing)
        else { throw Self.outOfMemory }
    }

    private func goOn(
        _ frame: GIFFrame, _ ending: inout Ending, visibleRows: Int, _ work: borrowing WorkContext,
        _ take: (_ first: Int, _ indices: UnsafePointer<UInt8>, _ count: Int) -> Void
    ) throws(ImageError) {
        let enough = min(visibleRows, frame.height) * frame.width
        let rows = max(1, Self.pixelsInBatch / max(1, frame.width))
        while ending.state == WI_GIF_MORE, ending.pixels < enough {
            try work.checkCancellation(.decode)
            var indices: UnsafePointer<UInt8>?
            var count = 0
            ending.state = wi_gif_lzw_next(handle, rows, &indices, &count)
            if let indices, count > 0 { take(ending.pixels, indices, count) }
            ending.pixels += count
        }
    }
}

extension GIFExpander {
    /// Begins a frame of a file that arrives, nothing of which is expanded yet.
    ///
    /// - Throws: `outOfMemory`.
    func begin(_ frame: GIFFrame, ofArriving file: UnsafeRawBufferPointer) throws(ImageError) -> Ending {
        try begin(frame, of: file, isGrowing: true)
        return Ending(state: WI_GIF_MORE)
    }

    /// Expands what `file`, all of it so far, has more of the frame: hands whole rows over as `expand` does.
    ///
    /// - Throws: `cancelled`.
    func goOn(
        _ frame: GIFFrame, of file: UnsafeRawBufferPointer, _ ending: inout Ending, visibleRows: Int,
        _ work: borrowing WorkContext,
        _ take: (_ first: Int, _ indices: UnsafePointer<UInt8>, _ count: Int) -> Void
    ) throws(ImageError) {
        guard ending.state == WI_GIF_CUT || ending.state == WI_GIF_MORE,
            let start = file.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return }
        wi_gif_lzw_extend(handle, start, file.count)
        ending.state = WI_GIF_MORE
        try goOn(frame, &ending, visibleRows: visibleRows, work, take)
    }
}

extension GIFFrame {
    /// The colours of its indices, red and blue exchanged for `bgra8`.
    func palette(_ file: UnsafeRawBufferPointer, _ format: PixelFormat) -> wi_gif_palette {
        var result = wi_gif_palette()
        guard palette.upperBound <= file.count,
            let table = file.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return result }
        wi_gif_make_palette(
            &result, table + palette.lowerBound, colorCount, control.transparentIndex.map(Int32.init) ?? -1,
            format.order == .bgra)
        return result
    }

    /// Where it lies on a canvas.
    func place(on canvas: UnsafeMutableRawBufferPointer, _ stride: Int, _ size: PixelSize) -> wi_gif_frame {
        wi_gif_frame(
            left: UInt32(clamping: left), top: UInt32(clamping: top), width: UInt32(clamping: width),
            height: UInt32(clamping: height), interlaced: isInterlaced,
            canvas: canvas.baseAddress?.assumingMemoryBound(to: UInt8.self), stride: stride,
            canvas_width: UInt32(clamping: size.width), canvas_height: UInt32(clamping: size.height))
    }

    /// Rows, in the order of the file, behind which none is seen on a canvas of that height.
    func visibleRows(_ canvasHeight: Int) -> Int {
        isInterlaced ? height : max(0, min(height, canvasHeight - top))
    }
}
