// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// What a PNG file's chunks say (PNG specification, third edition). Reads nothing outside the bytes it is given.
struct PNGHead {
    /// How far the walk came.
    enum Progress {
        /// The end chunk was met.
        case complete
        /// The bytes ended in a chunk that wants at least so many.
        case cut(needs: Int)
    }

    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var depth = 0
    private(set) var colorType = 0
    private(set) var isInterlaced = false
    private(set) var isApple = false
    private(set) var palette: Range<Int>?
    private(set) var transparency: Range<Int>?
    private(set) var icc: Range<Int>?
    private(set) var exif: Range<Int>?
    private(set) var xmp: Range<Int>?
    private(set) var density: PixelDensity?
    private(set) var idats: [Range<Int>] = []
    /// The number of plays, when an animation control chunk stands before the picture.
    private(set) var plays: Int?
    /// In milliseconds.
    private(set) var delays: [Double] = []
    /// Whether chunks repeat or stand in an order that only libpng is to judge.
    private(set) var isOdd = false
    private var hasHeader = false
    private var hasTransparencyChunk = false

    /// Whether the file can say "not opaque".
    var hasAlpha: Bool { colorType & 4 != 0 || hasTransparencyChunk }

    /// Walks the chunks.
    ///
    /// - Parameter stopsAtPicture: whether the walk ends where the picture's data begin.
    /// - Throws: `corruptData` where the bytes cannot be a PNG file's head.
    mutating func read(_ bytes: RawSpan, stopsAtPicture: Bool) throws(ImageError) -> Progress {
        var offset = 8
        while true {
            guard let length = bytes.bigEndian32(offset), let type = bytes.bigEndian32(offset + 4) else {
                return .cut(needs: offset + 8)
            }
            guard length <= 0x7FFF_FFFF else { throw Self.corrupt("has a chunk of \(length) bytes") }
            let content = offset + 8..<offset + 8 + length
            let isPicture = type == Self.idat
            if isPicture {
                guard hasHeader else { throw Self.corrupt("has picture data before its header") }
                // A still's head ends here; what an animation holds, only its end can tell.
                if stopsAtPicture, plays == nil { return .complete }
            }
            guard content.upperBound + 4 <= bytes.byteCount else {
                // What is there of the last picture chunk is known to be there.
                return .cut(needs: content.upperBound + 4)
            }
            if type == Self.iend { return .complete }
            try note(type, content, bytes)
            offset = content.upperBound + 4
        }
    }

    private mutating func note(_ type: Int, _ range: Range<Int>, _ bytes: RawSpan) throws(ImageError) {
        switch type {
        case Self.ihdr: try noteHeader(range, bytes)
        case Self.idat: idats.append(range)
        case Self.plte: notePalette(range)
        case Self.trns: noteTransparency(range)
        case Self.code("CgBI"): isApple = true
        case Self.code("iCCP") where idats.isEmpty && icc == nil: icc = range
        case Self.code("eXIf") where exif == nil: exif = range
        case Self.code("iTXt") where xmp == nil: noteText(range, bytes)
        case Self.code("pHYs") where idats.isEmpty: noteDensity(range, bytes)
        case Self.code("acTL") where idats.isEmpty && plays == nil: plays = bytes.bigEndian32(range.lowerBound + 4)
        case Self.code("fcTL") where range.count >= 26: noteFrame(range, bytes)
        default: break
        }
    }

    private mutating func noteHeader(_ range: Range<Int>, _ bytes: RawSpan) throws(ImageError) {
        guard !hasHeader else {
            isOdd = true
            return
        }
        let start = range.lowerBound
        guard range.count == 13, let width = bytes.bigEndian32(start), let height = bytes.bigEndian32(start + 4),
            let depth = bytes.byte(start + 8), let colorType = bytes.byte(start + 9),
            let compression = bytes.byte(start + 10), let filter = bytes.byte(start + 11),
            let interlace = bytes.byte(start + 12)
        else { throw Self.corrupt("has a header of \(range.count) bytes") }
        guard Self.depths[Int(colorType)]?.contains(Int(depth)) == true, compression == 0, filter == 0, interlace <= 1
        else {
            throw Self.corrupt("has a header with colour type \(colorType), depth \(depth), interlace \(interlace)")
        }
        guard (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height) else {
            throw Self.corrupt("has a header with the size \(width)x\(height)")
        }
        hasHeader = true
        size = PixelSize(width: width, height: height)
        self.depth = Int(depth)
        self.colorType = Int(colorType)
        isInterlaced = interlace == 1
    }

    private mutating func notePalette(_ range: Range<Int>) {
        if palette != nil || !idats.isEmpty || transparency != nil { isOdd = true }
        palette = palette ?? range
    }

    private mutating func noteTransparency(_ range: Range<Int>) {
        hasTransparencyChunk = true
        let isWelcome =
            switch colorType {
            case 0: range.count == 2
            case 2: range.count == 6
            case 3: palette != nil && !range.isEmpty && range.count <= (palette?.count ?? 0) / 3
            default: false
            }
        guard isWelcome, transparency == nil, idats.isEmpty else {
            isOdd = true
            // A table longer than the palette is not used; neither is one for pictures that have alpha.
            return
        }
        transparency = range
    }

    private mutating func noteText(_ range: Range<Int>, _ bytes: RawSpan) {
        let keyword: StaticString = "XML:com.adobe.xmp\0"
        guard bytes.has(keyword, at: range.lowerBound), bytes.byte(range.lowerBound + 18) == 0 else { return }
        // After the keyword: compression flag and method, language tag, translated keyword.
        var offset = range.lowerBound + 20
        for _ in 0..<2 {
            while offset < range.upperBound, let byte = bytes.byte(offset), byte != 0 { offset += 1 }
            offset += 1
        }
        if offset < range.upperBound { xmp = offset..<range.upperBound }
    }

    private mutating func noteDensity(_ range: Range<Int>, _ bytes: RawSpan) {
        guard range.count == 9, let x = bytes.bigEndian32(range.lowerBound),
            let y = bytes.bigEndian32(range.lowerBound + 4), bytes.byte(range.lowerBound + 8) == 1, x > 0, y > 0
        else { return }
        density = PixelDensity(horizontal: Double(x) * 0.0254, vertical: Double(y) * 0.0254)
    }

    private mutating func noteFrame(_ range: Range<Int>, _ bytes: RawSpan) {
        // Whether it is an animation is for the control chunk to say, which may come later.
        guard let numerator = bytes.bigEndian16(range.lowerBound + 20),
            let denominator = bytes.bigEndian16(range.lowerBound + 22)
        else { return }
        let parts = denominator == 0 ? 100 : denominator
        delays.append(Double(numerator) * 1000 / Double(parts))
    }

    // MARK: - Words of the format

    private static let depths = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
    private static let ihdr = code("IHDR")
    private static let idat = code("IDAT")
    private static let iend = code("IEND")
    private static let plte = code("PLTE")
    private static let trns = code("tRNS")

    private static func code(_ name: StaticString) -> Int {
        name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    static func corrupt(_ what: String) -> ImageError {
        ImageError(.corruptData, stage: .decode, "The PNG file \(what).")
    }

    func info(_ bytes: RawSpan) -> ImageInfo {
        let isAnimated = plays != nil && !delays.isEmpty
        return ImageInfo(
            format: .png, storedSize: size, orientation: orientation(bytes),
            frameCount: isAnimated ? delays.count : 1, loopCount: isAnimated ? plays ?? 1 : 1,
            frameDurationsMilliseconds: isAnimated ? delays : [], hasAlpha: hasAlpha, hasICCProfile: icc != nil,
            bitsPerSample: depth, isMultiPass: isInterlaced)
    }

    func orientation(_ bytes: RawSpan) -> Orientation {
        guard let exif else { return .up }
        return EXIFOrientation.orientation(inTIFF: bytes.extracting(exif)) ?? .up
    }
}
