// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels

/// A file that arrives: its rows, or its scans.
struct JPEGArrivingPicture: ~Copyable, ArrivingPicture {
    /// Bytes that are collected for the decompressor, which begins the block where it stopped anew.
    private static let step = 1 << 10
    /// Behind the marker that begins a scan: what says that the one before is whole.
    private static let longestScanHead = 14

    private let options: DecodeOptions
    private var data = Data()
    private var readings = HeadReadings()
    private var stream: JPEGStream?
    /// Bytes that there are to be before the decompressor goes on.
    private var due = step

    init(_ options: DecodeOptions) { self.options = options }

    mutating func append(_ bytes: Data, _ work: borrowing WorkContext) throws(ImageError) {
        noteMarkers(bytes)
        data.append(bytes)
        if stream == nil {
            guard readings.isDue(data.count) else { return }
            var head = JPEGHead()
            if case .needs(let count) = try head.read(data.bytes) {
                readings.note(data.count, needed: count)
                return
            }
            try begin(head)
        }
        guard data.count >= due else { return }
        due = data.count + Self.step
        try stream?.feed(data, work)
    }

    /// Looks for the markers that end a picture, or a scan: nothing may come behind them for long.
    private mutating func noteMarkers(_ bytes: Data) {
        var before = data.last
        var position = data.count
        var due = due
        bytes.withUnsafeBytes { bytes in
            for byte in bytes {
                position += 1
                if before == 0xFF {
                    if byte == 0xD9 { due = min(due, position) }
                    if byte == 0xDA { due = min(due, position + Self.longestScanHead) }
                }
                before = byte
            }
        }
        self.due = due
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
