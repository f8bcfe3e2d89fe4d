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
///
/// Equal pictures and options give equal bytes.
struct PNGEncoder {
    private static let longestSide = 0x7FFF_FFFF
    private static let longestChunk = 0x7FFF_FFFF

    private let pixels: PixelBuffer
    private let metadata: ImageMetadata
    private let options: EncodeOptions
    private let settings: PNGEncoding
    private let colorType: PNGHeader.ColorType
    private let palette: PNGPalette?
    private let icc: Data?

    init(_ image: DecodedImage, _ options: EncodeOptions, _ work: borrowing WorkContext) throws(ImageError) {
        guard max(image.size.width, image.size.height) <= Self.longestSide else {
            throw ImageError(
                .dimensionLimit, stage: .encode,
                "PNG has sides of at most \(Self.longestSide) pixels, and the picture is \(image.size); resize it first."
            )
        }
        pixels =
            image.pixels.alphaMode == .premultiplied
            ? try image.pixels.converted(to: image.pixels.format, alphaMode: .straight) : image.pixels
        metadata = image.metadata
        self.options = options
        settings = options[PNGEncoding.self]
        icc = options.keepsICCProfile ? image.metadata.iccProfile : nil
        let plain = try Self.colorType(pixels, settings, keepsRGB: icc != nil, work)
        palette = settings.reducesColors ? Self.palette(pixels, insteadOf: plain, work) : nil
        try work.checkCancellation(.encode)
        colorType = palette == nil ? plain : .palette
    }

    func encode(_ work: borrowing WorkContext) throws(ImageError) -> Data {
        let stream = try compressed(work)
        var file = Data(capacity: stream.count + (icc?.count ?? 0) + 1024)
        file.append(contentsOf: PNGHeader.signature)
        try append("IHDR", header, to: &file)
        if let icc, let profile = Self.profileChunk(icc) { try append("iCCP", profile, to: &file) }
        if let palette = palette?.colors { try append("PLTE", palette, to: &file) }
        if let alphas = palette?.alphas, !alphas.isEmpty { try append("tRNS", alphas, to: &file) }
        if let density { try append("pHYs", density, to: &file) }
        if options.keepsEXIF, let exif = metadata.exif {
            try append("eXIf", EXIFOrientation.rewriting(exif, to: metadata.orientation), to: &file)
        }
        if options.keepsXMP, let xmp = metadata.xmp {
            try append("iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp, to: &file)
        }
        var rest = stream[...]
        while !rest.isEmpty {
            try append("IDAT", rest.prefix(Self.longestChunk), to: &file)
            rest = rest.dropFirst(Self.longestChunk)
        }
        try append("IEND", Data(), to: &file)
        return file
    }

    /// The smallest colour type that holds all pixels, where that is asked for.
    private static func colorType(
        _ pixels: PixelBuffer, _ settings: PNGEncoding, keepsRGB: Bool, _ work: borrowing WorkContext
    ) throws(ImageError) -> PNGHeader.ColorType {
        guard settings.reducesColors else { return pixels.alphaMode == .opaque ? .rgb : .rgbAlpha }
        let nothingToFind: Int32 = keepsRGB ? 3 : pixels.alphaMode == .opaque ? 2 : 3
        var kinds: Int32 = keepsRGB ? 2 : 0
        for row in 0..<pixels.height where kinds != nothingToFind {
            if row % 64 == 0 { try work.checkCancellation(.encode) }
            kinds |= pixels.withUnsafeBytes { bytes in
                wi_png_row_kinds(
                    bytes.baseAddress?.advanced(by: row * pixels.bytesPerRow).assumingMemoryBound(
                        to: UInt8.self),
                    pixels.width, pixels.format.shimFormat)
            }
        }
        if pixels.alphaMode == .opaque { kinds &= 2 }
        switch kinds {
        case 0: return .gray
        case 1: return .grayAlpha
        case 2: return .rgb
        default: return .rgbAlpha
        }
    }

    /// The colours, where indices into a table of them take less room than samples of their own.
    private static func palette(
        _ pixels: PixelBuffer, insteadOf colorType: PNGHeader.ColorType, _ work: borrowing WorkContext
    ) -> PNGPalette? {
        guard pixels.format.bitsPerChannel == 8 else { return nil }
        let flag = work.flag
        let found = pixels.withUnsafeBytes { source in
            var job = job(pixels, source, UnsafePointer(flag.pointer))
            return wi_png_palette_find(&job)
        }
        guard let palette = PNGPalette(found) else { return nil }
        let bits = colorType.channels * 8 - palette.depth
        let gain = ByteCount.saturating(pixels.width, pixels.height, max(0, bits)).bytes / 8
        guard gain > 4 * palette.count + 24 else { return nil }
        return palette
    }

    private static func job(
        _ pixels: PixelBuffer, _ source: UnsafeRawBufferPointer, _ flag: UnsafePointer<wi_flag>
    ) -> wi_png_encode_job {
        var job = wi_png_encode_job()
        job.pixels = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        job.stride = pixels.bytesPerRow
        job.width = UInt32(pixels.width)
        job.height = UInt32(pixels.height)
        job.format = pixels.format.shimFormat
        job.flag = flag
        return job
    }

    /// Bits of a sample, or of an index.
    private var depth: Int { palette?.depth ?? pixels.format.bitsPerChannel }

    /// Filters do not help where neighbouring numbers do not mean neighbouring colours.
    private var filters: PNGEncoding.Filters {
        let filters = settings.filters.intersection(.automatic)
        return palette != nil && (filters.isEmpty || filters == .automatic) ? .none : filters
    }

    private func compressed(_ work: borrowing WorkContext) throws(ImageError) -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        let flag = work.flag
        let status = pixels.withUnsafeBytes { source in
            var job = Self.job(pixels, source, UnsafePointer(flag.pointer))
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

    private var header: Data {
        Self.bigEndian(pixels.width) + Self.bigEndian(pixels.height)
            + Data([
                UInt8(depth), UInt8(colorType.rawValue), 0, 0,
                settings.isInterlaced ? 1 : 0,
            ])
    }

    /// Pixels per metre, where they are known and fit.
    private var density: Data? {
        guard let density = metadata.density,
            let x = Int(exactly: (density.horizontal / 0.0254).rounded()), 1...Self.longestChunk ~= x,
            let y = Int(exactly: (density.vertical / 0.0254).rounded()), 1...Self.longestChunk ~= y
        else { return nil }
        return Self.bigEndian(x) + Self.bigEndian(y) + Data([1])
    }

    /// A name, the method, and the profile deflated; nil when that fails.
    private static func profileChunk(_ profile: Data) -> Data? {
        var target = Data(count: profile.count + profile.count / 8 + 64)
        let written = profile.withUnsafeBytes { bytes in
            target.withUnsafeMutableBytes { room in
                wi_png_deflate(
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count,
                    room.baseAddress?.assumingMemoryBound(to: UInt8.self), room.count)
            }
        }
        guard written > 0 else { return nil }
        return Data("ICC profile\0\0".utf8) + target.prefix(written)
    }

    private static func bigEndian(_ value: Int) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
    }

    private func append(_ type: StaticString, _ data: Data, to file: inout Data) throws(ImageError) {
        guard data.count <= Self.longestChunk else {
            throw ImageError(
                .metadataLimit, stage: .encode,
                "The \(type) chunk has \(ByteCount(data.count)), more than PNG allows.")
        }
        file.append(Self.bigEndian(data.count))
        let start = file.count
        file.append(contentsOf: Array("\(type)".utf8))
        file.append(data)
        file.append(Self.bigEndian(PNGChunk.checksum(file.bytes, start..<file.count)))
    }
}
