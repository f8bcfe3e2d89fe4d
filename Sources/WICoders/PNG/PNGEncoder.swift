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

/// One encode.
struct PNGEncoder {
    private let pixels: PixelBuffer
    private let metadata: ImageMetadata
    private let options: EncodeOptions
    private let hasAlpha: Bool

    init(_ image: DecodedImage, _ options: EncodeOptions) throws(ImageError) {
        let isOpaque = image.pixels.isOpaque()
        hasAlpha = !isOpaque
        // PNG knows straight alpha alone.
        pixels = isOpaque || image.pixels.alphaMode != .premultiplied
            ? image.pixels : try image.pixels.converted(to: image.pixels.format, alphaMode: .straight)
        metadata = image.metadata
        self.options = options
    }

    func encode(_ work: borrowing WorkContext) throws(ImageError) -> Data {
        let icc = options.keepsICCProfile ? metadata.iccProfile ?? Data() : Data()
        let exif = options.keepsEXIF
            ? metadata.exif.map { EXIFOrientation.rewriting($0, to: metadata.orientation) } ?? Data() : Data()
        let xmp = options.keepsXMP ? metadata.xmp.map { $0.filter { $0 != 0 } + [0] } : nil
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        var report = wi_png_report()
        let flag = work.flag
        let status = pixels.withUnsafeBytes { source in
            icc.withUnsafeBytes { icc in
                exif.withUnsafeBytes { exif in
                    (xmp ?? Data()).withUnsafeBytes { xmp in
                        var job = job(source)
                        job.flag = UnsafePointer(flag.pointer)
                        job.icc = icc.baseAddress?.assumingMemoryBound(to: UInt8.self)
                        job.icc_size = icc.count
                        job.exif = exif.baseAddress?.assumingMemoryBound(to: UInt8.self)
                        job.exif_size = exif.count
                        job.xmp = xmp.isEmpty ? nil : xmp.baseAddress?.assumingMemoryBound(to: CChar.self)
                        return wi_png_encode(&job, &bytes, &size, &report)
                    }
                }
            }
        }
        guard status == WI_PNG_OK, let bytes else { throw Self.error(status, report) }
        defer { free(bytes) }
        return Data(bytes: bytes, count: size)
    }

    private func job(_ source: UnsafeRawBufferPointer) -> wi_png_encode_job {
        let settings = options[PNGEncoding.self]
        var job = wi_png_encode_job()
        job.pixels = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        job.stride = pixels.bytesPerRow
        job.width = UInt32(pixels.width)
        job.height = UInt32(pixels.height)
        job.bits = Int32(pixels.format.bitsPerChannel)
        job.bgra = pixels.format.order == .bgra
        job.has_alpha = hasAlpha
        job.level = Int32(min(9, max(0, settings.level)))
        job.interlaced = settings.isInterlaced
        job.filters = Int32(settings.filters.rawValue & 31)
        if let density = metadata.density {
            job.pixels_per_metre_x = Self.perMetre(density.horizontal)
            job.pixels_per_metre_y = Self.perMetre(density.vertical)
        }
        return job
    }

    private static func perMetre(_ perInch: Double) -> UInt32 {
        guard perInch.isFinite else { return 0 }
        return UInt32(min(Double(Int32.max), max(0, (perInch / 0.0254).rounded())))
    }

    private static func error(_ status: wi_png_status, _ report: wi_png_report) -> ImageError {
        switch status {
        case WI_PNG_CANCELLED: .cancelled(.encode)
        case WI_PNG_NO_MEMORY: ImageError(.outOfMemory, stage: .encode, "There is no memory to encode the picture.")
        default:
            ImageError(
                .encodeFailed, stage: .encode, "The picture could not be encoded as PNG.",
                underlying: PNGDecoder.text(report))
        }
    }
}
