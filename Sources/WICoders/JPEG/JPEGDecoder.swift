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
    private let plan: JPEGPlan

    init(_ data: Data, _ options: DecodeOptions) throws(ImageError) {
        self.data = data
        self.options = options
        var head = JPEGHead()
        guard case .complete = try head.read(data.bytes) else { throw JPEGHead.cut(data.count) }
        self.head = head
        info = try head.info(data.bytes)
        try options.limits.check(info.storedSize, format: .jpeg)
        plan = JPEGPlan(info, options)
    }

    func decode(_ work: borrowing WorkContext) throws(ImageError) -> DecodedImage {
        var metadata = try metadata()
        var pixels = plan.isStreamed ? try reducedPixels(&metadata, work) : try decodedPixels(&metadata, work)
        pixels = try pixels.oriented(plan.orientation)
        if options.pixelFormat.bitsPerChannel == 16 {
            pixels = try pixels.converted(to: options.pixelFormat, alphaMode: .opaque)
        }
        return DecodedImage(pixels: pixels, format: .jpeg, metadata: metadata)
    }

    private func metadata() throws(ImageError) -> ImageMetadata {
        let limit = options.limits.metadataBlock
        var exif = try JPEGHead.block(head.exif, data, "EXIF block", limit: limit)
        if options.appliesOrientation { exif = exif.map { EXIFOrientation.rewriting($0, to: .up) } }
        var metadata = ImageMetadata(
            storedSize: info.storedSize, orientation: options.appliesOrientation ? .up : info.orientation,
            iccProfile: try head.iccProfile(data, limit: limit), exif: exif,
            xmp: try JPEGHead.block(head.xmp, data, "XMP packet", limit: limit), density: head.density,
            scale: options.scale)
        if head.hasBrokenICC { metadata.warnings.append("The ICC profile lacks a part and was dropped.") }
        return metadata
    }

    private func decodedPixels(
        _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        var target = try MutablePixels(
            uninitialized: plan.decoded.width, height: plan.decoded.height, format: format, alphaMode: .opaque
        )
        try decode(into: &target, nil, &metadata, work)
        return try target.publish().resized(
            to: plan.target, from: plan.region, filter: .lanczos3, work)
    }

    /// The same, without what libjpeg hands out ever being there whole.
    private func reducedPixels(
        _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let reducer = try JPEGReducer(plan, format: format)
        var band = try MutablePixels(
            uninitialized: plan.decoded.width, height: Int(WI_JPEG_BAND), format: format, alphaMode: .opaque)
        try decode(into: &band, reducer, &metadata, work)
        return try reducer.publish()
    }

    private func decode(
        into target: inout MutablePixels, _ reducer: JPEGReducer?, _ metadata: inout ImageMetadata,
        _ work: borrowing WorkContext
    ) throws(ImageError) {
        var job = wi_jpeg_decode_job(plan, options, format, stride: target.bytesPerRow)
        reducer?.join(&job)
        var report = wi_jpeg_report()
        let flag = work.flag
        let status = data.withUnsafeBytes { bytes in
            target.withUnsafeMutableBytes { pixels in
                job.data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                job.size = bytes.count
                job.flag = UnsafePointer(flag.pointer)
                job.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return wi_jpeg_decode(&job, &report)
            }
        }
        try check(status, report)
        try note(report, &metadata)
    }

    /// What libjpeg writes; 16 bits are made of 8 in the end.
    private var format: PixelFormat { options.pixelFormat == .bgra8 ? .bgra8 : .rgba8 }

    private func check(_ status: wi_jpeg_status, _ report: wi_jpeg_report) throws(ImageError) {
        guard status != WI_JPEG_OK else { return }
        throw ImageError(status, reason: Self.text(report.message), data.count, options.limits)
    }

    private func note(_ report: wi_jpeg_report, _ metadata: inout ImageMetadata) throws(ImageError) {
        if let harmless = Self.text(report.note) {
            metadata.warnings.append("The JPEG file breaks a rule, but no pixel is lost: \(harmless).")
        }
        guard report.damages > 0 else { return }
        let reason = Self.text(report.message) ?? "damaged data"
        guard options[JPEGDecoding.self].strictness == .lenient else {
            throw ImageError(
                report.ended ? .truncatedData : .corruptData, stage: .decode,
                "The JPEG file is cut or damaged, and partial pictures are refused (JPEGDecoding.strictness).",
                underlying: reason)
        }
        metadata.isPartial = true
        metadata.warnings.append("The JPEG file is cut or damaged: \(reason).")
    }

    /// What the shim says; nil where it says nothing.
    static func text<Characters>(_ characters: Characters) -> String? {
        let text = String(cArray: characters)
        return text.isEmpty ? nil : text
    }
}

extension wi_jpeg_decode_job {
    /// What is to come out; the data and where the rows go are still missing.
    init(_ plan: JPEGPlan, _ options: DecodeOptions, _ format: PixelFormat, stride: Int) {
        let settings = options[JPEGDecoding.self]
        self.init()
        scale = Int32(plan.scale.eighths)
        bgra = format == .bgra8
        fancy = settings.interpolatesChroma
        strict = settings.strictness == .strict
        most_scans = Int32(clamping: options.limits.scans)
        self.stride = stride
        width = UInt32(plan.decoded.width)
        height = UInt32(plan.decoded.height)
    }
}

extension ImageError {
    /// Why the shim gave up on a file of which there are `byteCount` bytes.
    init(_ status: wi_jpeg_status, reason: String?, _ byteCount: Int, _ limits: DecodeLimits) {
        switch status {
        case WI_JPEG_CANCELLED: self = .cancelled(.decode)
        case WI_JPEG_SCAN_LIMIT:
            self.init(
                .scanLimit, stage: .decode,
                "The JPEG file has more than \(limits.scans) scans; raise DecodeLimits.scans if you trust it."
            )
        case WI_JPEG_UNSUPPORTED:
            self.init(
                .unsupportedFeature, stage: .decode, "The JPEG file uses what libjpeg-turbo does not decode.",
                underlying: reason)
        case WI_JPEG_NO_DATA:
            self.init(
                .truncatedData, stage: .decode,
                "The JPEG file ends after \(byteCount) bytes, before any picture data; load it again.",
                underlying: reason)
        case WI_JPEG_NO_MEMORY:
            self.init(.outOfMemory, stage: .decode, "There is no memory to decode the JPEG file.")
        default:
            self.init(
                .corruptData, stage: .decode, "The JPEG file is damaged, and no picture can be had from it.",
                underlying: reason)
        }
    }
}
