// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WIPixels

/// Netpbm's PAM (P7), the raw form that other tools read.
///
/// Written as RGB_ALPHA with 8 bits and straight alpha; read with one to four channels and any maximum up to 65,535.
public struct PAMCoder: ImageCoder {
    /// The coder.
    public init() {}

    /// PAM.
    public var decodableFormats: Set<ImageFormat> { [.pam] }
    /// PAM.
    public var encodableFormats: Set<ImageFormat> { [.pam] }

    /// Reads the header.
    ///
    /// - Throws: ``ImageError`` with code `corruptData` or `truncatedData`.
    public func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        guard let header = try PAMHeader(bytes) else {
            if isComplete { throw PAMHeader.cut }
            return .needs(ByteCount(bytes.byteCount + 1))
        }
        return .info(
            ImageInfo(
                format: .pam, storedSize: header.size, hasAlpha: header.hasAlpha,
                bitsPerSample: header.bytesPerSample * 8))
    }

    /// The pixels as stored, once more where they are converted, and once more where they are resized.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        let target = options.targetSize(for: info.storedSize)
        let stored = PixelFormat.rgba8.bytesPerPixel * max(1, info.bitsPerSample / 8)
        let pixel = options.pixelFormat.bytesPerPixel
        let whole = ByteCount.saturating(info.storedSize.width, info.storedSize.height, stored)
        let converted = ByteCount.saturating(info.storedSize.width, info.storedSize.height, pixel)
        guard target != info.storedSize else { return whole + converted }
        let resampler = RowResampler.memory(
            from: info.storedSize, to: target, filter: .lanczos3, format: options.pixelFormat)
        return whole + converted + .saturating(target.width, target.height, pixel) + resampler
    }

    /// Decodes a file, the first picture of several; rows that are missing stay transparent.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, `dimensionLimit`, `outOfMemory` or `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        guard let header = try PAMHeader(data.bytes) else { throw PAMHeader.cut }
        try options.limits.check(header.size, format: .pam)
        var metadata = ImageMetadata(storedSize: header.size, scale: options.scale)
        var pixels = try PAMRows(header).decode(data, &metadata, work)
        let mode: AlphaMode =
            options.premultiplies && pixels.alphaMode == .straight ? .premultiplied : pixels.alphaMode
        pixels = try pixels.converted(to: options.pixelFormat, alphaMode: mode)
            .resized(to: options.targetSize(for: header.size), filter: .lanczos3, work)
        return DecodedImage(pixels: pixels, format: .pam, metadata: metadata)
    }

    /// Encodes a picture.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory`, `fileSizeLimit` or `cancelled`.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .pam else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The PAM coder does not encode \(format).")
        }
        return try options.encode(image, as: format, usesQuality: false, work) { image, _, work in
            try Self.file(of: image.pixels, work)
        }
    }

    private static func file(of image: PixelBuffer, _ work: borrowing WorkContext) throws -> Data {
        let mode: AlphaMode = image.alphaMode == .opaque ? .opaque : .straight
        let pixels = try image.converted(to: .rgba8, alphaMode: mode)
        let header =
            "P7\nWIDTH \(pixels.width)\nHEIGHT \(pixels.height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        let rowSize = pixels.width * 4
        var data = Data(capacity: header.utf8.count + pixels.height * rowSize)
        data.append(contentsOf: header.utf8)
        for row in 0..<pixels.height {
            if row % 64 == 0 { try work.checkCancellation(.encode) }
            pixels.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                data.append(base + row * pixels.bytesPerRow, count: rowSize)
            }
        }
        return data
    }
}
