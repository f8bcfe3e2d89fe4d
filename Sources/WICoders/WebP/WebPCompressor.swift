// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WIPixels
internal import WebPShim

/// Makes picture chunks of pixels.
struct WebPCompressor {
    /// What libwebp wrote.
    struct Picture {
        /// A file without metadata.
        let file: Data
        let hasAlpha: Bool
        private let chunks: Range<Int>

        fileprivate init(_ file: Data) throws(ImageError) {
            var head = WebPHead()
            guard case .complete = try head.read(file.bytes), let bitstream = head.still else {
                throw WebPCompressor.failure("libwebp wrote a file without a picture")
            }
            self.file = file
            hasAlpha = bitstream.claimsAlpha
            chunks = bitstream.paddedRange
        }

        /// The chunks with pixels alone.
        var data: Data { file[chunks] }
    }

    let options: EncodeOptions

    /// The pixels in a form that libwebp takes: 8 bits, straight alpha.
    static func prepared(_ pixels: PixelBuffer) throws(ImageError) -> PixelBuffer {
        try pixels.converted(
            to: pixels.format.bitsPerChannel == 8 ? pixels.format : .rgba8,
            alphaMode: pixels.alphaMode == .premultiplied ? .straight : pixels.alphaMode)
    }

    /// The picture of a part of prepared pixels; all of them where `area` is nil.
    func picture(
        of pixels: PixelBuffer, _ area: PixelArea? = nil, _ work: borrowing WorkContext
    ) throws(ImageError) -> Picture {
        let area = area ?? PixelArea(pixels.size)
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        var reason: Int32 = 0
        let flag = work.flag
        let status = pixels.withUnsafeBytes { source in
            var job = wi_webp_encode_job()
            let start = area.y * pixels.bytesPerRow + area.x * pixels.format.bytesPerPixel
            job.pixels = source.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self)
            job.stride = pixels.bytesPerRow
            job.width = UInt32(clamping: area.width)
            job.height = UInt32(clamping: area.height)
            job.bgra = pixels.format.order == .bgra
            job.opaque = pixels.alphaMode == .opaque
            job.settings = options[WebPEncoding.self].forLibrary(quality: options.quality)
            job.flag = UnsafePointer(flag.pointer)
            return wi_webp_encode(&job, &bytes, &size, &reason)
        }
        guard status == WI_WEBP_OK, let bytes else { throw Self.error(status, reason) }
        return try Picture(
            Data(bytesNoCopy: bytes, count: size, deallocator: .custom { bytes, _ in wi_webp_free(bytes) }))
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
