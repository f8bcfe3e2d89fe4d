// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WIPixels

/// Netpbm's PAM (P7), the raw form that other tools read. Written as RGB_ALPHA with 8 bits and straight alpha; read with one
/// to four channels and any maximum up to 65,535.
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
            if isComplete || bytes.byteCount > PAMHeader.longest { throw PAMHeader.cut }
            return .needs(ByteCount(bytes.byteCount + 1))
        }
        return .info(ImageInfo(
            format: .pam, storedSize: header.size, hasAlpha: header.hasAlpha,
            bitsPerSample: header.maximum > 255 ? 16 : 8))
    }

    /// The result, twice where it is resized.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        .saturating(info.storedSize.width, info.storedSize.height, options.pixelFormat.bytesPerPixel, 2)
    }

    /// Decodes a file; missing rows stay transparent.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, `dimensionLimit` or `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        guard let header = try PAMHeader(data.bytes) else { throw PAMHeader.cut }
        try options.limits.check(header.size, format: .pam)
        var metadata = ImageMetadata(storedSize: header.size, scale: options.scale)
        var pixels = try header.pixels(data, &metadata, work)
        pixels = try pixels.resized(to: options.targetSize(for: header.size), filter: .lanczos3, work)
        let mode: AlphaMode = options.premultiplies && pixels.alphaMode != .opaque ? .premultiplied : pixels.alphaMode
        pixels = try pixels.converted(to: options.pixelFormat, alphaMode: mode)
        return DecodedImage(pixels: pixels, format: .pam, metadata: metadata)
    }

    /// Encodes a picture.
    ///
    /// - Throws: ``ImageError`` with code `outOfMemory` or `cancelled`.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .pam else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The PAM coder does not encode \(format).")
        }
        let mode: AlphaMode = image.pixels.alphaMode == .opaque ? .opaque : .straight
        let pixels = try image.pixels.converted(to: .rgba8, alphaMode: mode)
        let header = "P7\nWIDTH \(pixels.width)\nHEIGHT \(pixels.height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        var data = Data(capacity: header.utf8.count + pixels.width * pixels.height * 4)
        data.append(contentsOf: header.utf8)
        pixels.withUnsafeBytes { bytes in
            for row in 0..<pixels.height {
                let start = row * pixels.bytesPerRow
                data.append(contentsOf: bytes[start..<start + pixels.width * 4])
            }
        }
        return data
    }
}

/// The header of a P7 file: lines of a word and a value, up to ENDHDR.
private struct PAMHeader {
    static let longest = 64 << 10

    let size: PixelSize
    let depth: Int
    let maximum: Int
    let start: Int

    var hasAlpha: Bool { depth == 2 || depth == 4 }

    static var cut: ImageError {
        ImageError(.truncatedData, stage: .decode, "The PAM file ends before its ENDHDR line.")
    }

    /// Nil when the bytes end within the header.
    init?(_ bytes: RawSpan) throws(ImageError) {
        var values: [String: Int] = [:]
        var offset = 3
        while true {
            var line: [UInt8] = []
            while let byte = bytes.byte(offset), byte != UInt8(ascii: "\n") {
                line.append(byte)
                offset += 1
                if offset > Self.longest { throw Self.cut }
            }
            guard offset < bytes.byteCount else { return nil }
            offset += 1
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard let word = words.first, !word.hasPrefix("#") else { continue }
            if word == "ENDHDR" { break }
            if words.count == 2, let value = Int(words[1]) { values[String(word)] = value }
        }
        guard let width = values["WIDTH"], let height = values["HEIGHT"], let depth = values["DEPTH"],
            let maximum = values["MAXVAL"], (1...4).contains(depth), (1...65_535).contains(maximum),
            width > 0, height > 0, width <= Int32.max, height <= Int32.max
        else {
            throw ImageError(
                .corruptData, stage: .decode,
                "The PAM header needs WIDTH, HEIGHT, a DEPTH of 1 to 4 and a MAXVAL of 1 to 65535.")
        }
        size = PixelSize(width: width, height: height)
        self.depth = depth
        self.maximum = maximum
        start = offset
    }

    /// 16-bit pixels where the samples have more than 8 bits.
    func pixels(
        _ data: Data, _ metadata: inout ImageMetadata, _ work: borrowing WorkContext
    ) throws(ImageError) -> PixelBuffer {
        let bytesPerSample = maximum > 255 ? 2 : 1
        let rowSize = size.width * depth * bytesPerSample
        let rows = min(size.height, (data.count - start) / rowSize)
        guard rows > 0 else {
            throw ImageError(.truncatedData, stage: .decode, "The PAM file ends before its first row is whole.")
        }
        if rows < size.height {
            metadata.isPartial = true
            metadata.warnings.append("The PAM file ends after \(rows) of \(size.height) rows.")
        }
        let isOpaque = !hasAlpha && rows == size.height
        var target = try MutablePixels(
            width: size.width, height: size.height, format: bytesPerSample == 2 ? .rgba16 : .rgba8,
            alphaMode: isOpaque ? .opaque : .straight)
        for row in 0..<rows {
            if row % 64 == 0 { try work.checkCancellation(.decode) }
            data.withUnsafeBytes { source in
                target.withUnsafeMutableBytes { pixels in
                    let from = UnsafeRawBufferPointer(rebasing: source[(start + row * rowSize)...])
                    let width = size.width * 4
                    if bytesPerSample == 2 {
                        let to = pixels.bindMemory(to: UInt16.self)
                        expand(into: { to[row * width + $0] = UInt16(clamping: ($1 * 65_535 + maximum / 2) / maximum) }) {
                            Int(from[2 * $0]) << 8 | Int(from[2 * $0 + 1])
                        }
                    } else {
                        expand(into: { pixels[row * width + $0] = UInt8(clamping: ($1 * 255 + maximum / 2) / maximum) }) {
                            Int(from[$0])
                        }
                    }
                }
            }
        }
        return target.publish()
    }

    private func expand(into put: (Int, Int) -> Void, _ sample: (Int) -> Int) {
        for x in 0..<size.width {
            let gray = depth <= 2
            for channel in 0..<3 { put(4 * x + channel, sample(x * depth + (gray ? 0 : channel))) }
            put(4 * x + 3, hasAlpha ? sample(x * depth + depth - 1) : maximum)
        }
    }
}
