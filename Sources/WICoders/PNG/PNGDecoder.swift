// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore
internal import WIPixels

/// One decode of a file's default image, with the frames of an animation beside it.
struct PNGDecoder {
    let data: Data
    let options: DecodeOptions
    let head: PNGHead
    let header: PNGHeader
    let info: ImageInfo
    /// Whether libpng reads plain files too; for tests, which compare.
    private let usesLibraryAlone: Bool

    init(_ data: Data, _ options: DecodeOptions, usesLibraryAlone: Bool = false) throws(ImageError) {
        let bytes = data.bytes
        if bytes.has("IHDR", at: 12), bytes.byteCount >= 33 {
            try options.limits.check(try PNGHeader(bytes, at: 8).size, format: .png)
        }
        var head = PNGHead()
        let progress = try head.read(bytes)
        if head.isCgBI {
            throw PNGHead.isCgBI
        }
        guard progress == .complete, let header = head.header else {
            throw ImageError(
                .truncatedData, stage: .decode,
                "The PNG file ends after \(bytes.byteCount) bytes, before its picture data.")
        }
        try options.limits.check(header.size, format: .png)
        self.data = data
        self.options = options
        self.head = head
        self.header = header
        self.usesLibraryAlone = usesLibraryAlone
        info = try head.info(bytes)
    }

    func decode(_ work: borrowing WorkContext) throws(ImageError) -> DecodedImage {
        let frames = try frameSource(work)
        var metadata = try head.metadata(
            data, options, orientation: options.appliesOrientation ? .up : info.orientation)
        noteMissingFrames(frames, &metadata)
        let (orientation, stored) = (orientation, storedTarget)
        var pixels =
            isReduced(to: stored)
            ? try reducedPixels(to: stored, &metadata, work) : try wholePixels(&metadata, work)
        if options.premultiplies, pixels.alphaMode == .straight {
            pixels = try pixels.converted(to: pixels.format, alphaMode: .premultiplied)
        }
        pixels = try pixels.resized(to: stored, filter: .lanczos3, work).oriented(orientation)
        return DecodedImage(
            pixels: pixels, format: .png, metadata: metadata, loopCount: frames?.loopCount ?? 1,
            frames: frames)
    }

    /// How the pixels are turned at the end.
    var orientation: Orientation { options.appliesOrientation ? info.orientation : .up }

    /// What is wanted, before the turn.
    var storedTarget: PixelSize {
        let target = options.targetSize(
            for: orientation.displaySize(of: info.storedSize),
            frameCount: options.firstFrameOnly ? 1 : info.frameCount)
        return orientation.exchangesSides ? target.transposed : target
    }

    /// The pixels as stored.
    ///
    /// What exists of a damaged file is marked so in `metadata`.
    private func wholePixels(
        _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        var target = try MutablePixels(
            uninitialized: header.size.width, height: header.size.height, format: format,
            alphaMode: head.hasAlpha ? .straight : .opaque)
        if try target.withRows({ rows throws(ImageError) in try decodeWhole(rows, nil, work) }) {
            return target.publish()
        }
        let report = try target.withRows { rows throws(ImageError) in try decodeByLibrary(rows, nil, work) }
        if report.failed {
            try noteDamage(report, &metadata)
            // The rows that are missing are transparent, whatever the file says of the others.
            target.alphaMode = .straight
        } else {
            noteWarning(report, &metadata)
        }
        return target.publish()
    }

    var format: PixelFormat { Self.format(options) }

    /// What is decoded to.
    static func format(_ options: DecodeOptions) -> PixelFormat {
        options.pixelFormat == .bgra8 || options.pixelFormat == .rgba16 ? options.pixelFormat : .rgba8
    }

    /// What is inflated in one call, which nobody can cancel: some quarter of a second at most.
    private static let largestWhole = 96 << 20

    /// Bytes that the whole-file way works in; nil for files that it does not read.
    var scratchSize: Int? {
        guard !usesLibraryAlone, head.isPlain, !header.isInterlaced, format != .rgba16 else { return nil }
        let joined = head.idatCount > 1 ? head.idatBytes : 0
        // More than the file has: the last chunk is cut.
        guard joined <= data.count else { return nil }
        let size = wi_png_scratch_size(
            UInt32(header.size.width), UInt32(header.size.height), Int32(header.depth),
            Int32(header.colorType.rawValue), joined)
        return 1...Self.largestWhole ~= size ? size : nil
    }

    /// False when the file is not of the kind that is read in one go, or damaged.
    func decodeWhole(
        _ target: PNGRows, _ reducer: PNGReducer?, _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        guard let size = scratchSize else { return false }
        // Pixel memory, because that is kept and lent again: fresh pages cost as much as the decode.
        var scratch = try MutablePixels(uninitialized: (size + 3) / 4, height: 1)
        var report = wi_png_report()
        let status = scratch.withUnsafeMutableBytes { scratch in
            withJob(target, reducer, work) { job in
                job.scratch = scratch.baseAddress?.assumingMemoryBound(to: UInt8.self)
                job.scratch_size = size
                return wi_png_decode_whole(&job, &report)
            }
        }
        if status == WI_PNG_CANCELLED { throw .cancelled(.decode) }
        return status == WI_PNG_OK
    }

    /// What libpng reads; of a damaged file, the rows that exist.
    func decodeByLibrary(
        _ target: PNGRows, _ reducer: PNGReducer?, _ work: borrowing WorkContext
    ) throws(ImageError) -> wi_png_report {
        _ = target.bytes.initializeMemory(as: UInt8.self, repeating: 0)
        var report = wi_png_report()
        let status = withJob(target, reducer, work) { wi_png_decode(&$0, &report) }
        switch status {
        case WI_PNG_OK: return report
        case WI_PNG_CANCELLED: throw .cancelled(.decode)
        case WI_PNG_NO_MEMORY:
            throw ImageError(.outOfMemory, stage: .decode, "There is no memory to decode the PNG file.")
        default: throw Self.damage(report, "The PNG file is damaged: no row of it can be read.")
        }
    }

    private func withJob(
        _ target: PNGRows, _ reducer: PNGReducer?, _ work: borrowing WorkContext,
        _ body: (inout wi_png_decode_job) -> wi_png_status
    ) -> wi_png_status {
        let flag = work.flag
        return data.withUnsafeBytes { bytes in
            var job = job(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
            job.flag = UnsafePointer(flag.pointer)
            job.pixels = target.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            job.stride = target.stride
            job.format = format.shimFormat
            reducer?.join(&job, band: PNGReducer.rowsInBand(of: header.size, format))
            return withExtendedLifetime(reducer) { body(&job) }
        }
    }

    /// What the file is, for either way.
    private func job(_ start: UnsafePointer<UInt8>?, _ size: Int) -> wi_png_decode_job {
        var job = wi_png_decode_job()
        job.data = start
        job.size = size
        job.first_idat = head.firstIDAT ?? size
        job.width = UInt32(header.size.width)
        job.height = UInt32(header.size.height)
        job.depth = Int32(header.depth)
        job.color_type = Int32(header.colorType.rawValue)
        job.interlaced = header.isInterlaced
        if let palette = head.palette {
            job.palette = start?.advanced(by: palette.lowerBound)
            job.palette_size = palette.count
        }
        if let transparency = head.transparency, !header.colorType.hasAlpha {
            job.transparency = start?.advanced(by: transparency.lowerBound)
            job.transparency_size = transparency.count
        }
        job.most_chunk_bytes = options.limits.metadataBlock.bytes
        return job
    }

    func noteWarning(_ report: wi_png_report, _ metadata: inout ImageMetadata) {
        if let warning = Self.text(report) { metadata.warnings.append("libpng: \(warning).") }
    }

    func noteDamage(_ report: wi_png_report, _ metadata: inout ImageMetadata) throws(ImageError) {
        guard options[PNGDecoding.self].strictness == .lenient else {
            throw Self.damage(report, "The PNG file is cut or damaged, and partial pictures are refused.")
        }
        metadata.isPartial = true
        metadata.warnings.append("The PNG file is cut or damaged: \(Self.text(report) ?? "no reason given").")
    }

    private static func damage(_ report: wi_png_report, _ sentence: String) -> ImageError {
        ImageError(
            report.ended ? .truncatedData : .corruptData, stage: .decode, sentence, underlying: text(report))
    }

    private static func text(_ report: wi_png_report) -> String? {
        let text = String(cArray: report.message)
        return text.isEmpty ? nil : text
    }
}

/// Where rows of pixels go: all of a picture, a band of them, or a frame's place on a canvas.
struct PNGRows {
    /// From the first row's first pixel on.
    let bytes: UnsafeMutableRawBufferPointer
    /// Bytes from one row to the next.
    let stride: Int
}

extension MutablePixels {
    /// Calls `body` with all rows.
    mutating func withRows<Result>(
        _ body: (PNGRows) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        let stride = bytesPerRow
        return try withUnsafeMutableBytes { bytes throws(ImageError) in
            try body(PNGRows(bytes: bytes, stride: stride))
        }
    }
}

extension PixelFormat {
    /// As the shim names it; formats that it does not have are decoded as RGBA.
    var shimFormat: wi_png_pixels {
        switch self {
        case .bgra8: WI_PNG_BGRA8
        case .rgba16: WI_PNG_RGBA16
        default: WI_PNG_RGBA8
        }
    }
}
