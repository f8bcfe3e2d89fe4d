// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore
internal import WITransformers

/// The Quite OK Image Format, version 1.0 (qoiformat.org), encoded and decoded.
///
/// This is all that a coder of your own takes: say how a file begins, what its head tells, and turn bytes into pixels and
/// back. Sizes, pixel formats and alpha that requests ask for are one call, ``DecodeOptions/apply(to:_:)``, and so is what
/// is asked of encoders.
///
///     let coders = CodersManager.standard()
///     coders.register(QOICoder())
///
/// Of a cut file the pixels that exist are shown, and the rest stays transparent.
public struct QOICoder: ImageCoder {
    /// The coder.
    public init() {}

    /// QOI.
    public var decodableFormats: Set<ImageFormat> { [.qoi] }
    /// QOI.
    public var encodableFormats: Set<ImageFormat> { [.qoi] }

    /// Reads the head, 14 bytes.
    ///
    /// - Throws: ``ImageError`` with code `corruptData` or `truncatedData`.
    public func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        if bytes.byteCount < QOIHeader.byteCount, !isComplete {
            return .needs(ByteCount(QOIHeader.byteCount))
        }
        let header = try QOIHeader(bytes)
        return .info(ImageInfo(format: .qoi, storedSize: header.size, hasAlpha: header.hasAlpha))
    }

    /// The pixels as stored, and once more where they are changed.
    public func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount {
        let target = options.targetSize(for: info.storedSize)
        return .saturating(info.storedSize.width, info.storedSize.height, 4)
            + .saturating(info.storedSize.width, target.height, 2 * options.pixelFormat.bytesPerPixel)
            + .saturating(target.width, target.height, options.pixelFormat.bytesPerPixel)
    }

    /// Decodes a file.
    ///
    /// - Throws: ``ImageError`` with code `corruptData`, `truncatedData`, `dimensionLimit`, `outOfMemory` or `cancelled`.
    public func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        let header = try QOIHeader(data.bytes)
        try options.limits.check(header.size, format: .qoi)
        var pixels = try MutablePixels(
            width: header.size.width, height: header.size.height,
            alphaMode: header.hasAlpha ? .straight : .opaque)
        var reader = QOIReader(data, keepsAlpha: header.hasAlpha)
        let missing = try reader.fill(&pixels, work)
        var metadata = ImageMetadata(storedSize: header.size, scale: options.scale)
        if missing > 0 {
            metadata.isPartial = true
            metadata.warnings.append("The QOI file ends \(missing) pixels too soon.")
            pixels.alphaMode = .straight
        }
        return DecodedImage(
            pixels: try options.apply(to: pixels.publish(), work), format: .qoi, metadata: metadata)
    }

    /// Encodes a picture with 8 bits a channel.
    ///
    /// - Throws: ``ImageError`` with code `unsupportedFormat`, `fileSizeLimit`, `outOfMemory` or `cancelled`.
    public func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data {
        guard format == .qoi else {
            throw ImageError(.unsupportedFormat, stage: .encode, "The QOI coder does not encode \(format).")
        }
        return try options.apply(to: image, as: format, usesQuality: false, work) { image, _, work in
            let pixels = try PixelFormatTransformer(.rgba8).transform(image.pixels, work)
            var writer = QOIWriter(QOIHeader(size: pixels.size, hasAlpha: pixels.alphaMode != .opaque))
            return try writer.file(of: pixels, work)
        }
    }
}

/// The first 14 bytes.
private struct QOIHeader {
    static let byteCount = 14
    let size: PixelSize
    let hasAlpha: Bool

    init(size: PixelSize, hasAlpha: Bool) {
        self.size = size
        self.hasAlpha = hasAlpha
    }

    init(_ bytes: RawSpan) throws(ImageError) {
        guard bytes.byteCount >= Self.byteCount else {
            throw ImageError(
                .truncatedData, stage: .decode,
                "The QOI file has \(bytes.byteCount) bytes; its head alone has \(Self.byteCount).")
        }
        guard Self.number(bytes, at: 0) == 0x716F_6966 else {
            throw ImageError(
                .notAnImage, stage: .decode, "The bytes are no QOI file; they do not begin with qoif.")
        }
        size = PixelSize(width: Self.number(bytes, at: 4), height: Self.number(bytes, at: 8))
        let channels = bytes.unsafeLoad(fromByteOffset: 12, as: UInt8.self)
        guard size.width > 0, size.height > 0, channels == 3 || channels == 4 else {
            throw ImageError(
                .corruptData, stage: .decode, "The QOI head says \(size) pixels with \(channels) channels.")
        }
        hasAlpha = channels == 4
    }

    var bytes: [UInt8] {
        let sides = [size.width, size.height].flatMap { side in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
        }
        return Array("qoif".utf8) + sides + [hasAlpha ? 4 : 3, 0]
    }

    private static func number(_ bytes: RawSpan, at offset: Int) -> Int {
        Int(UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
}

/// Red, green, blue, alpha.
private typealias Pixel = SIMD4<UInt8>

/// What reader and writer know of the pixels before: the last one, and one for each of 64 places.
private struct QOIMemory {
    var last = Pixel(0, 0, 0, 255)
    private var seen = [Pixel](repeating: Pixel(repeating: 0), count: 64)

    static func place(_ pixel: Pixel) -> Int {
        (Int(pixel.x) * 3 + Int(pixel.y) * 5 + Int(pixel.z) * 7 + Int(pixel.w) * 11) % 64
    }

    subscript(place: Int) -> Pixel {
        get { seen[place] }
        set { seen[place] = newValue }
    }
}

private struct QOIReader {
    private static let end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
    private let bytes: [UInt8]
    private let limit: Int
    private let keepsAlpha: Bool
    private var position = QOIHeader.byteCount
    private var memory = QOIMemory()

    init(_ data: Data, keepsAlpha: Bool) {
        bytes = Array(data)
        self.keepsAlpha = keepsAlpha
        limit = bytes.suffix(8) == Self.end[...] ? bytes.count - 8 : bytes.count
    }

    /// Writes the pixels that there are.
    ///
    /// - Returns: how many are missing.
    /// - Throws: `truncatedData` when all are; `cancelled`.
    mutating func fill(_ pixels: inout MutablePixels, _ work: borrowing WorkContext) throws(ImageError) -> Int
    {
        let total = pixels.width * pixels.height
        let rowsAtATime = 64 * pixels.width
        var filled = 0
        while filled < total {
            try work.checkCancellation(.decode)
            let until = min(total, filled + rowsAtATime)
            pixels.withMutableBytes { target in
                while filled < until, let count = next() {
                    let pixel = keepsAlpha ? memory.last : memory.last | Pixel(0, 0, 0, 255)
                    for _ in 0..<min(count, total - filled) {
                        target.storeBytes(of: pixel, toByteOffset: 4 * filled, as: Pixel.self)
                        filled += 1
                    }
                }
            }
            if filled < until { break }
        }
        guard filled > 0 else {
            throw ImageError(.truncatedData, stage: .decode, "The QOI file ends before its first pixel.")
        }
        return total - filled
    }

    /// Reads a chunk; the pixel is then `memory.last`, and stands as often as is returned. Nil at the end.
    private mutating func next() -> Int? {
        guard let tag = byte() else { return nil }
        var pixel = memory.last
        var count = 1
        switch (tag, tag >> 6) {
        case (0xFE, _), (0xFF, _):
            guard let red = byte(), let green = byte(), let blue = byte() else { return nil }
            pixel = Pixel(red, green, blue, pixel.w)
            if tag == 0xFF {
                guard let alpha = byte() else { return nil }
                pixel.w = alpha
            }
        case (_, 0): pixel = memory[Int(tag)]
        case (_, 1): pixel &+= Pixel(tag >> 4 & 3, tag >> 2 & 3, tag & 3, 2) &- 2
        case (_, 2):
            guard let rest = byte() else { return nil }
            let green = (tag & 63) &- 32
            pixel &+= Pixel(green &- 8 &+ (rest >> 4), green, green &- 8 &+ (rest & 15), 0)
        default: count = Int(tag & 63) + 1
        }
        memory.last = pixel
        memory[QOIMemory.place(pixel)] = pixel
        return count
    }

    private mutating func byte() -> UInt8? {
        guard position < limit else { return nil }
        defer { position += 1 }
        return bytes[position]
    }
}

private struct QOIWriter {
    private var bytes: [UInt8]
    private var memory = QOIMemory()
    private var run = 0

    init(_ header: QOIHeader) { bytes = header.bytes }

    mutating func file(of pixels: PixelBuffer, _ work: borrowing WorkContext) throws(ImageError) -> Data {
        for row in 0..<pixels.height {
            if row % 64 == 0 { try work.checkCancellation(.encode) }
            pixels.withBytes { source in
                for x in 0..<pixels.width {
                    let offset = row * pixels.bytesPerRow + 4 * x
                    append(source.unsafeLoadUnaligned(fromByteOffset: offset, as: Pixel.self))
                }
            }
        }
        endRun()
        return Data(bytes + [0, 0, 0, 0, 0, 0, 0, 1])
    }

    private mutating func append(_ pixel: Pixel) {
        if pixel == memory.last {
            run += 1
            if run == 62 { endRun() }
            return
        }
        endRun()
        let place = QOIMemory.place(pixel)
        if memory[place] == pixel {
            bytes.append(UInt8(place))
        } else {
            memory[place] = pixel
            appendChange(to: pixel)
        }
        memory.last = pixel
    }

    private mutating func appendChange(to pixel: Pixel) {
        let change = pixel &- memory.last
        let small = change &+ 2
        let (red, blue) = (change.x &- change.y &+ 8, change.z &- change.y &+ 8)
        if change.w != 0 {
            bytes += [0xFF, pixel.x, pixel.y, pixel.z, pixel.w]
        } else if max(small.x, small.y, small.z) < 4 {
            bytes.append(0x40 | small.x << 4 | small.y << 2 | small.z)
        } else if change.y &+ 32 < 64, red < 16, blue < 16 {
            bytes += [0x80 | (change.y &+ 32), red << 4 | blue]
        } else {
            bytes += [0xFE, pixel.x, pixel.y, pixel.z]
        }
    }

    private mutating func endRun() {
        guard run > 0 else { return }
        bytes.append(0xC0 | UInt8(run - 1))
        run = 0
    }
}
