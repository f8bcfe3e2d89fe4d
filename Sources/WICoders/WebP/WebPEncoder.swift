// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels
internal import WebPShim

/// One encode of a still.
///
/// Equal pictures and options give equal bytes.
struct WebPEncoder {
    private static let longestSide = 16_383

    private let pixels: PixelBuffer
    private let metadata: ImageMetadata
    private let options: EncodeOptions

    init(_ image: DecodedImage, _ options: EncodeOptions) throws(ImageError) {
        guard max(image.size.width, image.size.height) <= Self.longestSide else {
            throw ImageError(
                .dimensionLimit, stage: .encode,
                "WebP has sides of at most \(Self.longestSide) pixels, and the picture is \(image.size); resize it first."
            )
        }
        let mode: AlphaMode = image.pixels.alphaMode == .premultiplied ? .straight : image.pixels.alphaMode
        pixels = try image.pixels.converted(
            to: image.pixels.format.bitsPerChannel == 8 ? image.pixels.format : .rgba8, alphaMode: mode)
        metadata = image.metadata
        self.options = options
    }

    func encode(_ work: borrowing WorkContext) throws(ImageError) -> Data {
        let file = try encodedFile(work)
        let icc = options.keepsICCProfile ? metadata.iccProfile : nil
        let exif = options.keepsEXIF ? metadata.exif : nil
        let xmp = options.keepsXMP ? metadata.xmp : nil
        if icc == nil, exif == nil, xmp == nil { return file }
        var head = WebPHead()
        guard case .complete = try head.read(file.bytes), let bitstream = head.still else {
            throw Self.failure("libwebp wrote a file without a picture")
        }
        let container = WebPContainer(
            canvas: pixels.size, hasAlpha: bitstream.claimsAlpha, icc: icc,
            // The block says how the pixels that are written lie, whatever it said when it was read.
            exif: exif.map { EXIFOrientation.rewriting($0, to: metadata.orientation) }, xmp: xmp)
        return try container.file(around: file[bitstream.paddedRange])
    }

    /// The file without metadata.
    private func encodedFile(_ work: borrowing WorkContext) throws(ImageError) -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        var reason: Int32 = 0
        let flag = work.flag
        let status = pixels.withUnsafeBytes { source in
            var job = wi_webp_encode_job()
            job.pixels = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
            job.stride = pixels.bytesPerRow
            job.width = UInt32(pixels.width)
            job.height = UInt32(pixels.height)
            job.bgra = pixels.format.order == .bgra
            job.opaque = pixels.alphaMode == .opaque
            job.settings = options[WebPEncoding.self].forLibrary(quality: options.quality)
            job.flag = UnsafePointer(flag.pointer)
            return wi_webp_encode(&job, &bytes, &size, &reason)
        }
        guard status == WI_WEBP_OK, let bytes else { throw Self.error(status, reason) }
        return Data(bytesNoCopy: bytes, count: size, deallocator: .custom { bytes, _ in wi_webp_free(bytes) })
    }

    private static func error(_ status: wi_webp_status, _ reason: Int32) -> ImageError {
        switch status {
        case WI_WEBP_CANCELLED: .cancelled(.encode)
        case WI_WEBP_NO_MEMORY:
            ImageError(.outOfMemory, stage: .encode, "There is no memory to encode the picture.")
        default: failure("libwebp's error \(reason)")
        }
    }

    private static func failure(_ reason: String) -> ImageError {
        ImageError(
            .encodeFailed, stage: .encode, "The picture could not be encoded as WebP.", underlying: reason)
    }
}

extension WebPEncoding {
    /// The settings in libwebp's words and within its ranges.
    func forLibrary(quality: Int) -> wi_webp_settings {
        func clamped(_ value: Int, _ range: ClosedRange<Int>) -> Int32 {
            Int32(clamping: min(range.upperBound, max(range.lowerBound, value)))
        }
        func optional(_ value: Int?, _ range: ClosedRange<Int>) -> Int32 {
            value.map { clamped($0, range) } ?? -1
        }
        let psnr = targetPSNR.flatMap { $0.isFinite && $0 > 0 ? Float(min($0, 99)) : nil } ?? 0
        let target = clamped(targetBytes ?? 0, 0...Int(Int32.max))
        let hasTarget = !isLossless && (target > 0 || psnr > 0)
        return wi_webp_settings(
            preset: Int32(preset.rawValue), lossless: isLossless,
            quality: Float(clamped(isLossless ? losslessEffort : quality, 0...100)),
            method: clamped(effort, 0...6),
            image_hint: Int32(imageHint.rawValue), target_size: target, target_psnr: psnr,
            segments: optional(segments, 1...4), sns_strength: optional(noiseShaping, 0...100),
            filter_strength: optional(filterStrength, 0...100),
            filter_sharpness: optional(filterSharpness, 0...7),
            filter_type: optional(filter?.rawValue, 0...1),
            preprocessing: optional(preprocessing?.rawValue, 0...2), partitions: clamped(partitions, 0...3),
            partition_limit: clamped(partitionLimit, 0...100),
            pass: clamped(passes ?? (hasTarget ? 6 : 1), 1...10),
            alpha_compression: compressesAlpha ? 1 : 0, alpha_filtering: Int32(alphaFilter.rawValue),
            alpha_quality: clamped(alphaQuality, 0...100), near_lossless: clamped(nearLossless, 0...100),
            qmin: clamped(qualityRange.lowerBound, 0...100), qmax: clamped(qualityRange.upperBound, 0...100),
            autofilter: adjustsFilter, exact: keepsTransparentColors ?? (isLossless && nearLossless >= 100),
            use_sharp_yuv: usesSharpYUV,
            emulate_jpeg_size: emulatesJPEGSize, thread_level: usesThreads, low_memory: usesLittleMemory)
    }
}
