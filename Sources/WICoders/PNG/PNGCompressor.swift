// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore
internal import WIPixels

/// How pixels become samples of a file, and these a zlib stream.
struct PNGCompressor {
    let settings: PNGEncoding
    let colorType: PNGHeader.ColorType
    /// Bits of a sample, or of an index.
    let depth: Int
    let palette: PNGPalette?

    /// The smallest form that holds all pixels of a still, where that is asked for.
    ///
    /// - Throws: `cancelled`.
    init(
        for pixels: PixelBuffer, _ settings: PNGEncoding, keepsRGB: Bool, _ work: borrowing WorkContext
    ) throws(ImageError) {
        var samples = PNGSamples(keepsRGB: keepsRGB)
        try samples.add(pixels, work)
        let plain = samples.colorType(settings)
        palette = settings.reducesColors ? Self.palette(pixels, insteadOf: plain, work) : nil
        try work.checkCancellation(.encode)
        self.settings = settings
        colorType = palette == nil ? plain : .palette
        depth = palette?.depth ?? pixels.format.bitsPerChannel
    }

    /// A form for all frames of an animation, of 8 bits.
    init(_ samples: PNGSamples, _ settings: PNGEncoding) {
        self.settings = settings
        colorType = samples.colorType(settings)
        depth = 8
        palette = nil
    }

    /// What IHDR holds.
    func header(_ size: PixelSize) -> Data {
        PNGFileWriter.bigEndian(size.width) + PNGFileWriter.bigEndian(size.height)
            + Data([UInt8(depth), UInt8(colorType.rawValue), 0, 0, settings.isInterlaced ? 1 : 0])
    }

    /// The colours, where indices into a table of them take less room than samples of their own.
    private static func palette(
        _ pixels: PixelBuffer, insteadOf colorType: PNGHeader.ColorType, _ work: borrowing WorkContext
    ) -> PNGPalette? {
        guard pixels.format.bitsPerChannel == 8 else { return nil }
        let flag = work.flag
        let found = pixels.withUnsafeBytes { source in
            var job = job(pixels, PixelArea(pixels.size), source, UnsafePointer(flag.pointer))
            return wi_png_palette_find(&job)
        }
        guard let palette = PNGPalette(found) else { return nil }
        let bits = colorType.channels * 8 - palette.depth
        let gain = ByteCount.saturating(pixels.width, pixels.height, max(0, bits)).bytes / 8
        guard gain > 4 * palette.count + 24 else { return nil }
        return palette
    }

    private static func job(
        _ pixels: PixelBuffer, _ area: PixelArea, _ source: UnsafeRawBufferPointer,
        _ flag: UnsafePointer<wi_flag>
    ) -> wi_png_encode_job {
        var job = wi_png_encode_job()
        let start = area.y * pixels.bytesPerRow + area.x * pixels.format.bytesPerPixel
        job.pixels = source.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self)
        job.stride = pixels.bytesPerRow
        job.width = UInt32(area.width)
        job.height = UInt32(area.height)
        job.format = pixels.format.shimFormat
        job.flag = flag
        return job
    }

    /// Filters do not help where neighbouring numbers do not mean neighbouring colours.
    private var filters: PNGEncoding.Filters {
        let filters = settings.filters.intersection(.automatic)
        return palette != nil && (filters.isEmpty || filters == .automatic) ? .none : filters
    }

    /// The zlib stream of the pixels in an area.
    ///
    /// - Throws: `cancelled`, `outOfMemory` or `encodeFailed`.
    func stream(
        of pixels: PixelBuffer, _ area: PixelArea, _ work: borrowing WorkContext
    ) throws(ImageError) -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        let flag = work.flag
        let status = pixels.withUnsafeBytes { source in
            var job = Self.job(pixels, area, source, UnsafePointer(flag.pointer))
            job.color_type = Int32(colorType.rawValue)
            job.depth = Int32(depth)
            job.palette = palette?.handle
            job.filters = Int32(filters.rawValue)
            job.interlaced = settings.isInterlaced
            job.level = Int32(min(9, max(0, settings.level)))
            return wi_png_compress(&job, &bytes, &size)
        }
        guard status == WI_PNG_OK, let bytes else { throw Self.error(status) }
        return Data(bytesNoCopy: bytes, count: size, deallocator: .free)
    }

    private static func error(_ status: wi_png_status) -> ImageError {
        switch status {
        case WI_PNG_CANCELLED: .cancelled(.encode)
        case WI_PNG_NO_MEMORY:
            ImageError(.outOfMemory, stage: .encode, "There is no memory to encode the picture.")
        default: ImageError(.encodeFailed, stage: .encode, "The picture could not be encoded as PNG.")
        }
    }
}

/// What was seen in pixels: whether some are not opaque, or not gray.
struct PNGSamples {
    private let keepsRGB: Bool
    private var hasAlpha = false
    private var hasColor = false
    private var isStraight = false

    init(keepsRGB: Bool) {
        self.keepsRGB = keepsRGB
        hasColor = keepsRGB
    }

    /// Looks at more pixels.
    ///
    /// - Throws: `cancelled`.
    mutating func add(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws(ImageError) {
        let isOpaque = pixels.alphaMode == .opaque
        isStraight = isStraight || !isOpaque
        for row in 0..<pixels.height where !hasColor || !(hasAlpha || isOpaque) {
            if row % 64 == 0 { try work.checkCancellation(.encode) }
            let kinds = pixels.withUnsafeBytes { bytes in
                wi_png_row_kinds(
                    bytes.baseAddress?.advanced(by: row * pixels.bytesPerRow).assumingMemoryBound(
                        to: UInt8.self),
                    pixels.width, pixels.format.shimFormat)
            }
            hasAlpha = hasAlpha || (kinds & 1 != 0 && !isOpaque)
            hasColor = hasColor || kinds & 2 != 0
        }
    }

    /// What holds them all, as small as may be where that is asked for.
    func colorType(_ settings: PNGEncoding) -> PNGHeader.ColorType {
        guard settings.reducesColors else { return isStraight ? .rgbAlpha : .rgb }
        switch (hasColor, hasAlpha) {
        case (false, false): return .gray
        case (false, true): return .grayAlpha
        case (true, false): return .rgb
        case (true, true): return .rgbAlpha
        }
    }
}
