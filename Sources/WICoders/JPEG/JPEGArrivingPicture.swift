// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels

/// A file that arrives: its rows, or its scans.
struct JPEGArrivingPicture: ~Copyable, ArrivingPicture {
    /// Bytes that are collected for the decompressor, which begins the block where it stopped anew.
    private static let step = 1 << 10

    private let options: DecodeOptions
    private var data = Data()
    private var readings = HeadReadings()
    private var stream: JPEGStream?
    private var given = 0
    private var hasEnd = false

    init(_ options: DecodeOptions) { self.options = options }

    mutating func append(_ bytes: Data, _ work: borrowing WorkContext) throws(ImageError) {
        noteEnd(bytes)
        data.append(bytes)
        if stream == nil {
            guard readings.isDue(data.count) || hasEnd else { return }
            var head = JPEGHead()
            if case .needs(let count) = try head.read(data.bytes) {
                readings.note(data.count, needed: count)
                hasEnd = false
                return
            }
            try begin(head)
        }
        guard data.count - given >= Self.step || hasEnd else { return }
        hasEnd = false
        given = data.count
        try stream?.feed(data, work)
    }

    /// Looks for the marker that ends a picture: what is behind it may not be as much as a step.
    private mutating func noteEnd(_ bytes: Data) {
        var before = data.last
        bytes.withUnsafeBytes { bytes in
            for byte in bytes {
                if byte == 0xD9, before == 0xFF { hasEnd = true }
                before = byte
            }
        }
    }

    private mutating func begin(_ head: JPEGHead) throws(ImageError) {
        let info = try head.info(data.bytes)
        try options.limits.check(info.storedSize, format: .jpeg)
        stream = try JPEGStream(JPEGPlan(info, options), hasScans: head.isMultiPass, options)
    }

    mutating func preview(_ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer? {
        try stream?.preview(work)
    }
}
