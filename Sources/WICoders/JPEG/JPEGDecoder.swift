// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import JPEGShim
internal import WICore
internal import WIPixels

/// One decode.
struct JPEGDecoder {
    private let data: Data
    private let options: DecodeOptions
    private let head: JPEGHead
    private let info: ImageInfo
    private let isCut: Bool

    init(_ data: Data, _ options: DecodeOptions) throws(ImageError) {
        self.data = data
        self.options = options
        var head = JPEGHead()
        switch try head.read(data.bytes) {
        case .complete: isCut = false
        case .needs: isCut = true
        }
        guard !isCut else {
            throw ImageError(
                .truncatedData, stage: .decode, "The JPEG file ends after \(data.count) bytes, before its first scan.")
        }
        self.head = head
        info = try head.info(data.bytes)
        try options.limits.check(info.storedSize, format: .jpeg)
    }

    func decode(_ work: borrowing WorkContext) throws(ImageError) -> DecodedImage {
        var metadata = try metadata()
        let display = options.appliesOrientation ? info.displaySize : info.storedSize
        let orientation = options.appliesOrientation ? info.orientation : .up
        let target = options.targetSize(for: display)
        var turned = info
        turned.orientation = orientation
        let scale = JPEGScale(turned, target: target)
        var pixels = try decode(scale, &metadata, work)
        let stored = orientation.exchangesSides ? target.transposed : target
        if stored != info.storedSize { pixels = try pixels.resized(to: stored, filter: .lanczos3, work) }
        pixels = try pixels.oriented(orientation)
        if options.pixelFormat.bitsPerChannel == 16 {
            pixels = try pixels.converted(to: options.pixelFormat, alphaMode: .opaque)
        }
        return DecodedImage(pixels: pixels, format: .jpeg, metadata: metadata)
    }

    private func metadata() throws(ImageError) -> ImageMetadata {
        let limit = options.limits.metadataBlock
        var exif = try JPEGHead.block(head.exif, data, "EXIF block", limit: limit)
        if options.appliesOrientation { exif = exif.map { EXIFOrientation.rewriting($0, to: .up) } }
        return ImageMetadata(
            storedSize: info.storedSize, orientation: options.appliesOrientation ? .up : info.orientation,
            iccProfile: try head.iccProfile(data, limit: limit), exif: exif,
            xmp: try JPEGHead.block(head.xmp, data, "XMP packet", limit: limit), density: head.density,
            scale: options.scale)
    }

    private func decode(
        _ scale: JPEGScale, _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let size = scale.size(of: info.storedSize)
        let isBGRA = options.pixelFormat == .bgra8
        var target = try MutablePixels(
            uninitialized: size.width, height: size.height, format: isBGRA ? .bgra8 : .rgba8, alphaMode: .opaque)
        let stride = target.bytesPerRow
        var report = wi_jpeg_report()
        let flag = work.flag
        let status = data.withUnsafeBytes { bytes in
            target.withUnsafeMutableBytes { pixels in
                var job = wi_jpeg_decode_job()
                job.data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                job.size = bytes.count
                job.scale = Int32(scale.eighths)
                job.bgra = isBGRA
                job.most_scans = Int32(clamping: options.limits.scans)
                job.flag = UnsafePointer(flag.pointer)
                job.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
                job.stride = stride
                job.width = UInt32(size.width)
                job.height = UInt32(size.height)
                return wi_jpeg_decode(&job, &report)
            }
        }
        try check(status, report)
        if report.damages > 0 { try noteDamage(report, &metadata) }
        return target.publish()
    }

    private func check(_ status: wi_jpeg_status, _ report: wi_jpeg_report) throws(ImageError) {
        let reason = JPEGDecoder.text(report)
        switch status {
        case WI_JPEG_OK: return
        case WI_JPEG_CANCELLED: throw .cancelled(.decode)
        case WI_JPEG_SCAN_LIMIT:
            throw ImageError(
                .scanLimit, stage: .decode,
                "The JPEG file has more than \(options.limits.scans) scans; raise DecodeLimits.scans if you trust it.")
        case WI_JPEG_UNSUPPORTED:
            throw ImageError(
                .unsupportedFeature, stage: .decode, "The JPEG file uses what libjpeg-turbo does not decode.",
                underlying: reason)
        case WI_JPEG_NO_DATA:
            throw ImageError(
                .truncatedData, stage: .decode, "The JPEG file ends before any picture data.", underlying: reason)
        case WI_JPEG_NO_MEMORY:
            throw ImageError(.outOfMemory, stage: .decode, "There is no memory to decode the JPEG file.")
        default:
            throw ImageError(.corruptData, stage: .decode, "The JPEG file is damaged.", underlying: reason)
        }
    }

    private func noteDamage(_ report: wi_jpeg_report, _ metadata: inout ImageMetadata) throws(ImageError) {
        let reason = JPEGDecoder.text(report) ?? "damaged data"
        guard options[JPEGDecoding.self].strictness == .lenient else {
            throw ImageError(
                .corruptData, stage: .decode, "The JPEG file is cut or damaged, and partial pictures are refused.",
                underlying: reason)
        }
        metadata.isPartial = true
        metadata.warnings.append("The JPEG file is cut or damaged: \(reason).")
    }

    static func text(_ report: wi_jpeg_report) -> String? {
        let text = withUnsafeBytes(of: report.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return text.isEmpty ? nil : text
    }
}
