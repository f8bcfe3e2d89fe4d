// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import JPEGShim
internal import WICore
internal import WIPixels

/// One encode.
struct JPEGEncoder {
    private static let longestSide = 65_500
    private static let longestMarker = 65_533
    /// 255 markers with 14 bytes before each part of the profile (ICC.1:2010, B.4).
    private static let longestProfile = 255 * (65_533 - 14)

    private let pixels: PixelBuffer
    private let metadata: ImageMetadata
    private let options: EncodeOptions

    init(_ image: DecodedImage, _ options: EncodeOptions) throws(ImageError) {
        guard max(image.size.width, image.size.height) <= Self.longestSide else {
            throw ImageError(
                .dimensionLimit, stage: .encode,
                "JPEG has sides of at most \(Self.longestSide) pixels, and the picture is \(image.size); resize it first."
            )
        }
        pixels =
            image.pixels.format.bitsPerChannel == 8
            ? image.pixels : try image.pixels.converted(to: .rgba8, alphaMode: image.pixels.alphaMode)
        metadata = image.metadata
        self.options = options
    }

    func encode(_ work: borrowing WorkContext) throws(ImageError) -> Data {
        let icc = try profile
        let exif = try marker("Exif\0\0", options.keepsEXIF ? exifBlock : nil, "EXIF")
        let xmp = try marker("http://ns.adobe.com/xap/1.0/\0", options.keepsXMP ? metadata.xmp : nil, "XMP")
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        var report = wi_jpeg_report()
        let flag = work.flag
        let status = pixels.withUnsafeBytes { source in
            icc.withUnsafeBytes { icc in
                exif.withUnsafeBytes { exif in
                    xmp.withUnsafeBytes { xmp in
                        var job = job(source)
                        job.flag = UnsafePointer(flag.pointer)
                        (job.icc, job.icc_size) = Self.pair(icc)
                        (job.exif, job.exif_size) = Self.pair(exif)
                        (job.xmp, job.xmp_size) = Self.pair(xmp)
                        return wi_jpeg_encode(&job, &bytes, &size, &report)
                    }
                }
            }
        }
        guard status == WI_JPEG_OK, let bytes else { throw Self.error(status, report) }
        return Data(bytesNoCopy: bytes, count: size, deallocator: .free)
    }

    private static func pair(_ bytes: UnsafeRawBufferPointer) -> (UnsafePointer<UInt8>?, Int) {
        (bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    private func job(_ source: UnsafeRawBufferPointer) -> wi_jpeg_encode_job {
        let settings = options[JPEGEncoding.self]
        var job = wi_jpeg_encode_job()
        job.pixels = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        job.stride = pixels.bytesPerRow
        job.width = UInt32(pixels.width)
        job.height = UInt32(pixels.height)
        job.bgra = pixels.format.order == .bgra
        job.alpha = pixels.alphaMode == .opaque ? 0 : pixels.alphaMode == .straight ? 1 : 2
        job.background = (options.background.red, options.background.green, options.background.blue)
        job.quality = Int32(min(100, max(1, options.quality)))
        job.horizontal = settings.subsampling == .s444 ? 1 : 2
        job.vertical = settings.subsampling == .s420 ? 2 : 1
        job.progressive = settings.isProgressive
        job.optimize = settings.optimizesTables
        if let density = metadata.density, density.horizontal.isFinite, density.vertical.isFinite {
            job.density_x = UInt16(min(65_535, max(0, density.horizontal.rounded())))
            job.density_y = UInt16(min(65_535, max(0, density.vertical.rounded())))
        }
        return job
    }

    private var profile: Data {
        get throws(ImageError) {
            guard options.keepsICCProfile, let profile = metadata.iccProfile else { return Data() }
            guard profile.count <= Self.longestProfile else {
                throw ImageError(
                    .metadataLimit, stage: .encode,
                    "The ICC profile has \(ByteCount(profile.count)), more than a JPEG file holds; leave it out."
                )
            }
            return profile
        }
    }

    /// The block says how the pixels that are written lie, whatever it said when it was read.
    private var exifBlock: Data? {
        metadata.exif.map { EXIFOrientation.rewriting($0, to: metadata.orientation) }
    }

    private func marker(_ identifier: String, _ payload: Data?, _ name: String) throws(ImageError) -> Data {
        guard let payload else { return Data() }
        let marker = Data(identifier.utf8) + payload
        guard marker.count <= Self.longestMarker else {
            throw ImageError(
                .metadataLimit, stage: .encode,
                "The \(name) block has \(ByteCount(payload.count)), more than a JPEG marker holds; leave it out."
            )
        }
        return marker
    }

    private static func error(_ status: wi_jpeg_status, _ report: wi_jpeg_report) -> ImageError {
        switch status {
        case WI_JPEG_CANCELLED: .cancelled(.encode)
        case WI_JPEG_NO_MEMORY:
            ImageError(.outOfMemory, stage: .encode, "There is no memory to encode the picture.")
        default:
            ImageError(
                .encodeFailed, stage: .encode, "The picture could not be encoded as JPEG.",
                underlying: JPEGDecoder.text(report.message))
        }
    }
}
