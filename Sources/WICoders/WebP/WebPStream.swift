// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels
internal import WebPShim

/// What is decoded while its data arrive, and where its rows go.
struct WebPStreamLayout {
    let plan: WebPPlan
    let bitstream: WebPBitstream
    /// The picture's chunks in the file.
    let range: Range<Int>
    let canvas: PixelSize
    /// The canvas of an animation's frames.
    let animationCanvas: PixelSize
    /// What libwebp makes of the picture, and where that lies on the canvas.
    let picture: PixelSize
    let x: Int
    let y: Int

    /// - Throws: a limit's code, or `unsupportedFeature` where it is not yet known how the picture is to be turned.
    init(_ head: WebPHead, _ data: Data, _ options: DecodeOptions) throws(ImageError) {
        guard let bitstream = head.bitstream,
            let chunk = WebPChunk(data.bytes, at: bitstream.image.lowerBound)
        else { throw WebPHead.cut(data.count) }
        guard !options.appliesOrientation || !head.awaitsEXIF else {
            throw ImageError(
                .unsupportedFeature, stage: .decode,
                "The WebP file says behind its picture how it is to be turned.")
        }
        let info = try head.info(data.bytes)
        try options.limits.check(info.storedSize, format: .webp)
        plan = WebPPlan(info, options)
        animationCanvas = info.storedSize
        self.bitstream = bitstream
        range = (bitstream.alpha ?? chunk.offset)..<chunk.data.upperBound
        if let frame = head.firstFrame, !frame.covers(info.storedSize) {
            (canvas, picture, x, y) = (info.storedSize, frame.size, frame.x, frame.y)
        } else {
            let size = bitstream.alpha == nil ? plan.reduced : info.storedSize
            (canvas, picture, x, y) = (size, size, 0, 0)
        }
    }

    /// Bytes to wait for: libwebp decodes some rows of lossless data again whenever they end.
    var step: Int { bitstream.isLossless ? max(16 << 10, range.count / 32) : 4 << 10 }
    var isAlwaysOpaque: Bool { bitstream.isAlwaysOpaque && picture == canvas }
}

/// One picture that libwebp decodes while its data arrive.
struct WebPStream: ~Copyable {
    private let layout: WebPStreamLayout
    private let handle: WebPStreamHandle
    private var canvas: MutablePixels
    private var given = 0
    private var shownRows = 0

    init(_ layout: WebPStreamLayout, _ options: DecodeOptions) throws(ImageError) {
        let format: PixelFormat = options.pixelFormat == .bgra8 ? .bgra8 : .rgba8
        var canvas = try MutablePixels(
            width: layout.canvas.width, height: layout.canvas.height, format: format)
        let stride = canvas.bytesPerRow
        let pointer = canvas.withUnsafeMutableBytes { bytes in
            let start = layout.y * stride + layout.x * format.bytesPerPixel
            let place = WebPPixels.Target(
                bytes: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), bytesPerRow: stride,
                order: format.order)
            var target = wi_webp_target(place, size: layout.picture, of: layout.bitstream)
            return wi_webp_stream_create(&target)
        }
        guard let pointer else {
            throw ImageError(.outOfMemory, stage: .decode, "There is no memory to decode the WebP file.")
        }
        self.layout = layout
        handle = WebPStreamHandle(pointer: pointer)
        self.canvas = canvas
    }

    /// - Throws: `corruptData` where no more rows can be had.
    mutating func feed(_ data: Data) throws(ImageError) {
        let available = min(data.count, layout.range.upperBound) - layout.range.lowerBound
        guard available - given >= layout.step || (available == layout.range.count && given < available)
        else { return }
        given = available
        let status = data.withUnsafeBytes { bytes in
            wi_webp_stream_feed(
                handle.pointer,
                bytes.baseAddress?.advanced(by: layout.range.lowerBound).assumingMemoryBound(to: UInt8.self),
                available)
        }
        guard status == WI_WEBP_OK || status == WI_WEBP_ENDED else {
            throw WebPHead.corrupt("has a picture that cannot be decoded")
        }
    }

    /// The rows so far, the others transparent; nil where there are no more than the last time.
    mutating func pixels() throws(ImageError) -> (PixelBuffer, WebPPlan)? {
        let rows = Int(wi_webp_stream_rows(handle.pointer))
        guard rows > shownRows else { return nil }
        shownRows = rows
        let isOpaque = layout.isAlwaysOpaque && rows == layout.picture.height
        return (try canvas.copy(alphaMode: isOpaque ? .opaque : .straight), layout.plan)
    }
}

/// The one owner of a C stream.
private struct WebPStreamHandle: ~Copyable, @unchecked Sendable {
    // Sendable: whoever owns the handle is the only one that touches what it points to.
    let pointer: OpaquePointer

    deinit { wi_webp_stream_free(pointer) }
}
