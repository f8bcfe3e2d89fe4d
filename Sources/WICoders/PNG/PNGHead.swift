// SPDX-License-Identifier: MIT
internal import WICore

/// What a PNG file's chunks say, found by walking them; nothing is inflated.
///
/// Reads nothing outside the bytes it is given.
struct PNGHead: Sendable {
    enum Progress: Equatable {
        /// The picture data begin.
        case complete
        /// It takes at least so many bytes to go on.
        case needs(Int)
    }

    private(set) var header: PNGHeader?
    /// Apple's variant, which is no PNG: another order of bytes, no zlib header.
    private(set) var isCgBI = false
    private(set) var palette: Range<Int>?
    private(set) var transparency: Range<Int>?
    /// The data of the first undamaged chunk of each kind.
    private(set) var icc: Range<Int>?
    private(set) var exif: Range<Int>?
    private(set) var xmp: Range<Int>?
    private(set) var density: PixelDensity?
    /// Where the first IDAT chunk begins, how many follow each other, and what they hold together.
    private(set) var firstIDAT: Int?
    private(set) var idatCount = 0
    private(set) var idatBytes = 0
    /// Times that the animation plays, from an acTL chunk before the picture data.
    private(set) var plays: Int?
    private(set) var frameDurations: [Double] = []
    /// Whether all that decides on pixels is undamaged, in order and there once.
    private(set) var isPlain = true
    /// Whether there are tRNS and iCCP chunks, damaged ones too: these are what a file claims, not what is used.
    private(set) var claimsTransparency = false
    private(set) var claimsProfile = false
    private(set) var hasEnd = false
    private(set) var warnings: [String] = []
    private var isRunOver = false

    /// Walks the chunks: to the picture data at least, and as far as there are bytes.
    ///
    /// - Throws: `notAnImage` where they do not begin as one, `corruptData` where they cannot be a PNG file's head.
    mutating func read(_ bytes: RawSpan) throws(ImageError) -> Progress {
        let signature = PNGHeader.signature
        guard (0..<min(signature.count, bytes.byteCount)).allSatisfy({ bytes.byte($0) == signature[$0] })
        else {
            throw .notAnImage(bytes, expected: .png)
        }
        var offset = signature.count
        while !hasEnd {
            let chunk: PNGChunk
            do throws(ImageError) {
                guard let found = try PNGChunk(bytes, at: offset) else { return progress(offset + 8) }
                chunk = found
            } catch {
                // Behind the picture data, rubbish is the end.
                guard firstIDAT != nil else { throw error }
                warnings.append("There are bytes behind the picture that are no chunks.")
                return .complete
            }
            if header == nil, !chunk.hasType("IHDR"), !chunk.hasType("CgBI") {
                throw PNGHeader.corrupt("does not begin with an IHDR chunk")
            }
            if chunk.hasType("IDAT") { noteData(chunk) } else { isRunOver = firstIDAT != nil }
            guard chunk.end <= bytes.byteCount else { return progress(chunk.end) }
            try note(chunk, bytes)
            offset = chunk.end
        }
        return .complete
    }

    private func progress(_ count: Int) -> Progress { firstIDAT == nil ? .needs(count) : .complete }

    private mutating func noteData(_ chunk: PNGChunk) {
        guard !isRunOver else { return }
        if firstIDAT == nil { firstIDAT = chunk.offset }
        idatCount += 1
        idatBytes += chunk.data.count
    }

    private mutating func note(_ chunk: PNGChunk, _ bytes: RawSpan) throws(ImageError) {
        if chunk.isCritical {
            try noteCritical(chunk, bytes)
        } else if isUseful(chunk, bytes) {
            noteClaim(chunk)
            if chunk.isIntact(bytes) {
                noteAncillary(chunk, bytes)
            } else {
                if chunk.hasType("tRNS") { isPlain = false }
                let warning = "A chunk with a wrong checksum was left out."
                if !warnings.contains(warning) { warnings.append(warning) }
            }
        }
    }

    private mutating func noteClaim(_ chunk: PNGChunk) {
        guard firstIDAT == nil else { return }
        if chunk.hasType("tRNS") { claimsTransparency = true }
        if chunk.hasType("iCCP") { claimsProfile = true }
    }

    private mutating func noteCritical(_ chunk: PNGChunk, _ bytes: RawSpan) throws(ImageError) {
        if chunk.hasType("IHDR") {
            if header == nil { header = try PNGHeader(bytes, at: chunk.offset) } else { isPlain = false }
        } else if chunk.hasType("CgBI") {
            isCgBI = true
        } else if chunk.hasType("IEND") {
            guard firstIDAT != nil else { throw PNGHeader.corrupt("has no IDAT chunk: it holds no picture") }
            hasEnd = true
        } else if !chunk.hasType("IDAT"), firstIDAT == nil {
            if !chunk.hasType("PLTE") || palette != nil || transparency != nil || !chunk.isIntact(bytes) {
                isPlain = false
            }
            if chunk.hasType("PLTE"), palette == nil { palette = chunk.data }
        }
    }

    private func isUseful(_ chunk: PNGChunk, _ bytes: RawSpan) -> Bool {
        chunk.hasType("tRNS") || chunk.hasType("iCCP") || chunk.hasType("eXIf") || chunk.hasType("pHYs")
            || chunk.hasType("acTL") || chunk.hasType("fcTL")
            || chunk.hasType("iTXt") && bytes.has("XML:com.adobe.xmp\0", at: chunk.data.lowerBound)
    }

    private mutating func noteAncillary(_ chunk: PNGChunk, _ bytes: RawSpan) {
        let isBeforeData = firstIDAT == nil
        if chunk.hasType("tRNS") {
            guard isBeforeData else { return }
            if transparency != nil { isPlain = false }
            transparency = chunk.data
        } else if chunk.hasType("iCCP") {
            if icc == nil, isBeforeData { icc = chunk.data }
        } else if chunk.hasType("eXIf") {
            // Some writers put JPEG's identifier before the TIFF stream.
            let skipped = bytes.has("Exif\0\0", at: chunk.data.lowerBound) ? 6 : 0
            if exif == nil { exif = chunk.data.dropFirst(skipped) }
        } else if chunk.hasType("iTXt") {
            if xmp == nil { xmp = chunk.data }
        } else if chunk.hasType("pHYs") {
            noteDensity(chunk, bytes)
        } else if chunk.hasType("acTL") {
            if isBeforeData, plays == nil, chunk.data.count >= 8 {
                plays = bytes.bigEndian32(chunk.data.lowerBound + 4)
            }
        } else {
            noteFrame(chunk, bytes)
        }
    }

    private mutating func noteDensity(_ chunk: PNGChunk, _ bytes: RawSpan) {
        let start = chunk.data.lowerBound
        guard density == nil, chunk.data.count == 9, bytes.byte(start + 8) == 1,
            let x = bytes.bigEndian32(start), let y = bytes.bigEndian32(start + 4), x > 0, y > 0
        else { return }
        density = PixelDensity(horizontal: Double(x) * 0.0254, vertical: Double(y) * 0.0254)
    }

    /// The duration, kept in milliseconds, is a fraction of seconds; a denominator of 0 stands for 100.
    private mutating func noteFrame(_ chunk: PNGChunk, _ bytes: RawSpan) {
        guard chunk.data.count == 26, let numerator = bytes.bigEndian16(chunk.data.lowerBound + 20),
            let stated = bytes.bigEndian16(chunk.data.lowerBound + 22)
        else { return }
        let denominator = stated == 0 ? 100 : stated
        frameDurations.append(Double(numerator) * 1000 / Double(denominator))
    }
}

extension PNGHead {
    /// Whether pixels can be not opaque.
    var hasAlpha: Bool { header?.colorType.hasAlpha == true || transparency != nil }
    /// Whether it is an animation (APNG).
    var isAnimated: Bool { plays != nil && !frameDurations.isEmpty }

    /// The orientation that the EXIF block states, `.up` where it states none.
    func orientation(_ bytes: RawSpan) -> Orientation {
        guard let exif else { return .up }
        return EXIFOrientation.orientation(inTIFF: bytes.extracting(exif)) ?? .up
    }

    func info(_ bytes: RawSpan) throws(ImageError) -> ImageInfo {
        guard let header else { throw PNGHeader.corrupt("has no IHDR chunk") }
        return ImageInfo(
            format: .png, storedSize: header.size, orientation: orientation(bytes),
            frameCount: isAnimated ? frameDurations.count : 1, loopCount: isAnimated ? plays ?? 1 : 1,
            frameDurationsMilliseconds: isAnimated ? frameDurations : [],
            hasAlpha: hasAlpha || claimsTransparency,
            hasICCProfile: claimsProfile, bitsPerSample: header.depth, isMultiPass: header.isInterlaced)
    }
}
