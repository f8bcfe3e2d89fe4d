// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import PNGShim
internal import WICore
internal import WIPixels

/// One encode.
///
/// Equal pictures and options give equal bytes. Of an animation, each frame is the smallest rectangle that differs from the
/// frame before, and replaces it; frames are read twice, to see first what samples they need, and two canvases are held.
struct PNGEncoder {
    private static let longestSide = 0x7FFF_FFFF
    private static let longestDuration = 0xFFFF

    private let image: DecodedImage
    private let options: EncodeOptions
    private let icc: Data?
    private let size: PixelSize

    init(_ image: DecodedImage, _ options: EncodeOptions) throws(ImageError) {
        size = image.frameCount > 1 ? image.frames?.canvasSize ?? image.size : image.size
        guard max(size.width, size.height) <= Self.longestSide else {
            throw ImageError(
                .dimensionLimit, stage: .encode,
                "PNG has sides of at most \(Self.longestSide) pixels, and the picture is \(size); resize it first."
            )
        }
        self.image = image
        self.options = options
        icc = options.keepsICCProfile ? image.metadata.iccProfile : nil
    }

    func encode(_ work: borrowing WorkContext) throws -> Data {
        if let frames = image.frames, image.frameCount > 1 { return try animation(frames, work) }
        let pixels =
            image.pixels.alphaMode == .premultiplied
            ? try image.pixels.converted(to: image.pixels.format, alphaMode: .straight) : image.pixels
        let compressor = try PNGCompressor(for: pixels, options[PNGEncoding.self], keepsRGB: icc != nil, work)
        let stream = try compressor.stream(of: pixels, PixelArea(size), work)
        var file = PNGFileWriter(capacity: stream.count + (icc?.count ?? 0))
        try appendHead(compressor, to: &file)
        try file.appendPicture(stream)
        try file.append("IEND", Data())
        return file.data
    }

    private func animation(_ source: any FrameSource, _ work: borrowing WorkContext) throws -> Data {
        let settings = options[PNGEncoding.self]
        var samples = PNGSamples(keepsRGB: icc != nil)
        let scout = try source.makeReader()
        for index in source.frames.indices {
            try samples.add(try prepared(try scout.frame(at: index, work)), work)
        }
        let compressor = PNGCompressor(samples, settings)
        var file = PNGFileWriter()
        try appendHead(compressor, to: &file)
        try file.append(
            "acTL",
            PNGFileWriter.bigEndian(source.frames.count) + PNGFileWriter.bigEndian(max(0, source.loopCount)))
        let durations = FrameDurations(
            source.frames.map(\.durationMilliseconds), longest: Self.longestDuration)
        let reader = try source.makeReader()
        var shown: PixelBuffer?
        for (index, duration) in durations.milliseconds.enumerated() {
            let pixels = try prepared(try reader.frame(at: index, work))
            let nothing = PixelArea(x: 0, y: 0, width: 1, height: 1)
            let area = shown.map { pixels.difference(from: $0) ?? nothing } ?? PixelArea(size)
            try file.appendFrame(
                try compressor.stream(of: pixels, area, work),
                at: (area.x, area.y, PixelSize(width: area.width, height: area.height)),
                milliseconds: duration)
            shown = pixels
        }
        try file.append("IEND", Data())
        return file.data
    }

    /// Frames are compared, so all are of one kind.
    private func prepared(_ pixels: PixelBuffer) throws(ImageError) -> PixelBuffer {
        guard pixels.size == size else {
            throw ImageError(
                .invalidArgument, stage: .encode,
                "A frame has \(pixels.size) pixels, and the animation \(size); all must be of one size.")
        }
        return try pixels.converted(to: .rgba8, alphaMode: pixels.alphaMode == .opaque ? .opaque : .straight)
    }

    /// What comes before the picture's data.
    private func appendHead(_ compressor: PNGCompressor, to file: inout PNGFileWriter) throws(ImageError) {
        let metadata = image.metadata
        try file.append("IHDR", compressor.header(size))
        if let icc, let profile = Self.profileChunk(icc) { try file.append("iCCP", profile) }
        if let palette = compressor.palette {
            try file.append("PLTE", palette.colors)
            if !palette.alphas.isEmpty { try file.append("tRNS", palette.alphas) }
        }
        if let density { try file.append("pHYs", density) }
        if options.keepsEXIF, let exif = metadata.exif {
            try file.append("eXIf", EXIFOrientation.rewriting(exif, to: metadata.orientation))
        }
        if options.keepsXMP, let xmp = metadata.xmp {
            try file.append("iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp)
        }
        for (keyword, text) in options[PNGEncoding.self].texts.sorted(by: { $0.key < $1.key }) {
            try file.append("iTXt", try Self.keyword(keyword) + [0, 0, 0, 0, 0] + Data(text.utf8))
        }
    }

    /// A keyword in Latin-1.
    ///
    /// - Throws: `invalidArgument` where it is none.
    private static func keyword(_ text: String) throws(ImageError) -> Data {
        let printable = [32...126, 161...255] as [ClosedRange<UInt32>]
        let scalars = text.unicodeScalars.map(\.value)
        guard (1...79).contains(scalars.count), text.first != " ", text.last != " ", !text.contains("  "),
            scalars.allSatisfy({ scalar in printable.contains { $0.contains(scalar) } })
        else {
            throw ImageError(
                .invalidArgument, stage: .encode,
                "“\(text)” cannot be the keyword of a PNG text: it takes 1 to 79 characters of Latin-1, without spaces at "
                    + "its ends or two together.")
        }
        return Data(scalars.map { UInt8(truncatingIfNeeded: $0) })
    }

    /// Pixels per metre, where they are known and fit.
    private var density: Data? {
        guard let density = image.metadata.density,
            let x = Int(exactly: (density.horizontal / 0.0254).rounded()),
            1...PNGFileWriter.longestChunk ~= x,
            let y = Int(exactly: (density.vertical / 0.0254).rounded()), 1...PNGFileWriter.longestChunk ~= y
        else { return nil }
        return PNGFileWriter.bigEndian(x) + PNGFileWriter.bigEndian(y) + Data([1])
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
}
