// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore
internal import WIPixels

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One decode.
struct PNGDecoder {
    private let data: Data
    private let options: DecodeOptions
    private let head: PNGHead
    private let info: ImageInfo
    private let isCut: Bool
    /// Whether the fast way may be taken; tests take the other one to compare.
    var prefersSpeed = true

    init(_ data: Data, _ options: DecodeOptions) throws(ImageError) {
        self.data = data
        self.options = options
        var head = PNGHead()
        if case .cut = try head.read(data.bytes, stopsAtPicture: false) { isCut = true } else { isCut = false }
        guard head.size.width > 0 else { throw PNGCoder.cut(data.count) }
        try PNGCoder.refuseApple(head)
        self.head = head
        info = head.info(data.bytes)
        try options.limits.check(info.storedSize, format: .png)
    }

    func decode(_ work: borrowing WorkContext) throws(ImageError) -> DecodedImage {
        var metadata = try metadata()
        let orientation = options.appliesOrientation ? info.orientation : .up
        let target = options.targetSize(for: orientation.displaySize(of: info.storedSize))
        var pixels = try decodePixels(&metadata, work)
        let stored = orientation.exchangesSides ? target.transposed : target
        if stored != info.storedSize { pixels = try pixels.resized(to: stored, filter: .lanczos3, work) }
        pixels = try pixels.oriented(orientation)
        let mode: AlphaMode = options.premultiplies && pixels.alphaMode != .opaque ? .premultiplied : pixels.alphaMode
        pixels = try pixels.converted(to: options.pixelFormat, alphaMode: mode)
        return DecodedImage(pixels: pixels, format: .png, metadata: metadata)
    }

    private func decodePixels(
        _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        if options.pixelFormat.bitsPerChannel == 8, let pixels = try fast(work) { return pixels }
        return try libpng(&metadata, work)
    }

    // MARK: - The fast way

    private func fast(_ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer? {
        guard prefersSpeed, !isCut, !head.isInterlaced, !head.isOdd, !head.idats.isEmpty else { return nil }
        guard let palette = paletteTable, areContiguous(head.idats) else { return nil }
        var target = try MutablePixels(
            uninitialized: info.storedSize.width, height: info.storedSize.height,
            alphaMode: head.hasAlpha ? .straight : .opaque)
        let stride = target.bytesPerRow
        let ranges = head.idats.map { wi_png_range(offset: $0.lowerBound, size: $0.count) }
        let flag = work.flag
        let status = data.withUnsafeBytes { bytes in
            target.withUnsafeMutableBytes { pixels in
                ranges.withUnsafeBufferPointer { ranges in
                    palette.withUnsafeBufferPointer { palette in
                        var job = wi_png_fast_job()
                        job.data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                        job.idats = ranges.baseAddress
                        job.idat_count = ranges.count
                        job.width = UInt32(info.storedSize.width)
                        job.height = UInt32(info.storedSize.height)
                        job.depth = Int32(head.depth)
                        job.color_type = Int32(head.colorType)
                        job.palette = palette.baseAddress
                        setKey(&job)
                        job.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
                        job.stride = stride
                        job.flag = UnsafePointer(flag.pointer)
                        return wi_png_decode_fast(&job)
                    }
                }
            }
        }
        if status == WI_PNG_CANCELLED { throw .cancelled(.decode) }
        return status == WI_PNG_OK ? target.publish() : nil
    }

    /// IDAT chunks with others between them are damage that libpng is to judge.
    private func areContiguous(_ ranges: [Range<Int>]) -> Bool {
        zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound + 12 == $1.lowerBound }
    }

    private func setKey(_ job: inout wi_png_fast_job) {
        guard head.colorType != 3, let range = head.transparency else { return }
        let sample = { (index: Int) -> UInt16 in
            let mask = head.depth == 16 ? 0xFFFF : (1 << head.depth) - 1
            return UInt16((data.bytes.bigEndian16(range.lowerBound + 2 * index) ?? 0) & mask)
        }
        job.has_key = true
        job.key = head.colorType == 0 ? (sample(0), 0, 0) : (sample(0), sample(1), sample(2))
    }

    /// 256 pixels of RGBA; indices beyond the palette are opaque black. Nil where libpng is to judge the palette.
    private var paletteTable: [UInt8]? {
        guard head.colorType == 3 else { return [] }
        guard let palette = head.palette, palette.count % 3 == 0, (3...768).contains(palette.count),
            palette.count / 3 <= 1 << head.depth
        else { return nil }
        let bytes = data.bytes
        var table = [UInt8](repeating: 0, count: 1024)
        for index in 0..<256 {
            if index < palette.count / 3 {
                for channel in 0..<3 { table[4 * index + channel] = bytes.byte(palette.lowerBound + 3 * index + channel) ?? 0 }
            }
            let alpha = head.transparency.flatMap { index < $0.count ? bytes.byte($0.lowerBound + index) : nil }
            table[4 * index + 3] = alpha ?? 255
        }
        return table
    }

    // MARK: - libpng

    private func libpng(
        _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let isWide = options.pixelFormat.bitsPerChannel == 16
        // Cleared: rows that do not exist stay transparent.
        var target = try MutablePixels(
            width: info.storedSize.width, height: info.storedSize.height, format: isWide ? .rgba16 : .rgba8,
            alphaMode: head.hasAlpha ? .straight : .opaque)
        let stride = target.bytesPerRow
        var report = wi_png_report()
        let flag = work.flag
        let status = data.withUnsafeBytes { bytes in
            target.withUnsafeMutableBytes { pixels in
                var job = wi_png_decode_job()
                job.data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                job.size = bytes.count
                job.bits = isWide ? 16 : 8
                job.width = UInt32(info.storedSize.width)
                job.height = UInt32(info.storedSize.height)
                job.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
                job.stride = stride
                job.most_chunk_bytes = options.limits.metadataBlock.bytes
                job.flag = UnsafePointer(flag.pointer)
                return wi_png_decode(&job, &report)
            }
        }
        try check(status, report)
        if report.is_partial {
            try noteDamage(report, &metadata)
            target.alphaMode = .straight
        }
        return target.publish()
    }

    private func check(_ status: wi_png_status, _ report: wi_png_report) throws(ImageError) {
        switch status {
        case WI_PNG_OK: return
        case WI_PNG_CANCELLED: throw .cancelled(.decode)
        case WI_PNG_NO_MEMORY:
            throw ImageError(.outOfMemory, stage: .decode, "There is no memory to decode the PNG file.")
        default:
            let code: ImageError.Code = isCut ? .truncatedData : .corruptData
            throw ImageError(
                code, stage: .decode, "The PNG file is \(isCut ? "cut" : "damaged"): no row of it can be decoded.",
                underlying: Self.text(report))
        }
    }

    private func noteDamage(_ report: wi_png_report, _ metadata: inout ImageMetadata) throws(ImageError) {
        let reason = Self.text(report) ?? "damaged data"
        guard options[PNGDecoding.self].strictness == .lenient else {
            throw ImageError(
                isCut ? .truncatedData : .corruptData, stage: .decode,
                "The PNG file is cut or damaged, and partial pictures are refused.", underlying: reason)
        }
        metadata.isPartial = true
        metadata.warnings.append("The PNG file is cut or damaged after \(report.rows) rows: \(reason).")
    }

    static func text(_ report: wi_png_report) -> String? {
        let text = withUnsafeBytes(of: report.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return text.isEmpty ? nil : text
    }

    // MARK: - Metadata

    private func metadata() throws(ImageError) -> ImageMetadata {
        var exif = try block(head.exif, "EXIF block")
        if options.appliesOrientation { exif = exif.map { EXIFOrientation.rewriting($0, to: .up) } }
        return ImageMetadata(
            storedSize: info.storedSize, orientation: options.appliesOrientation ? .up : info.orientation,
            iccProfile: try iccProfile(), exif: exif, xmp: try block(head.xmp, "XMP packet"), density: head.density,
            scale: options.scale)
    }

    private func block(_ range: Range<Int>?, _ name: String) throws(ImageError) -> Data? {
        guard let range else { return nil }
        guard range.count <= options.limits.metadataBlock.bytes else { throw tooLarge(name) }
        return Data(data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound])
    }

    /// The profile, where it describes RGB, as the pixels that are handed over are. A damaged one is no error.
    private func iccProfile() throws(ImageError) -> Data? {
        guard let chunk = try block(head.icc, "ICC profile"), let end = chunk.firstIndex(of: 0),
            end + 2 < chunk.endIndex
        else { return nil }
        let packed = Data(chunk[(end + 2)...])
        var size = 0
        var isTooLong = false
        let limit = options.limits.metadataBlock.bytes
        let profile = packed.withUnsafeBytes { bytes in
            wi_png_inflate(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, limit, &size, &isTooLong)
        }
        if isTooLong { throw tooLarge("ICC profile") }
        guard let profile else { return nil }
        defer { free(profile) }
        let result = Data(bytes: profile, count: size)
        return result.bytes.has("RGB ", at: 16) ? result : nil
    }

    private func tooLarge(_ name: String) -> ImageError {
        ImageError(
            .metadataLimit, stage: .decode,
            "The \(name) is larger than the limit of \(options.limits.metadataBlock); raise DecodeLimits.metadataBlock.")
    }
}
