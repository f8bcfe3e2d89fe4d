// SPDX-License-Identifier: MIT
internal import FoundationEssentials
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
    private(set) var animation = PNGAnimation()
    /// Whether all that decides on pixels is undamaged, in order and there once.
    private(set) var isPlain = true
    /// Whether there are tRNS and iCCP chunks, damaged ones too: these are what a file claims, not what is used.
    private(set) var claimsTransparency = false
    private(set) var claimsProfile = false
    private(set) var hasEnd = false
    private(set) var warnings: [String] = []
    /// Bytes from the file's start that it takes to go on.
    private(set) var needed = PNGHeader.signature.count + 8
    /// The chunk that is read next.
    private var offset = PNGHeader.signature.count
    /// The end of the last IDAT chunk of the picture, whose data may be missing.
    private(set) var dataEnd = 0
    private var isRunOver = false

    /// Walks the chunks: to the picture data at least, and as far as there are bytes.
    ///
    /// Called again with more bytes behind the same ones, it goes on where it stopped.
    ///
    /// - Throws: `notAnImage` where they do not begin as one, `corruptData` where they cannot be a PNG file's head.
    mutating func read(_ bytes: RawSpan) throws(ImageError) -> Progress {
        let signature = PNGHeader.signature
        guard (0..<min(signature.count, bytes.byteCount)).allSatisfy({ bytes.byte($0) == signature[$0] })
        else {
            throw .notAnImage(bytes, expected: .png)
        }
        while !hasEnd {
            let chunk: PNGChunk
            do throws(ImageError) {
                guard let found = try PNGChunk(bytes, at: offset) else { return progress(offset + 8) }
                chunk = found
            } catch {
                // Behind the picture data, rubbish is the end.
                guard firstIDAT != nil else { throw error }
                warnings.append("There are bytes behind the picture that are no chunks.")
                needed = .max
                return .complete
            }
            if header == nil, !chunk.hasType("IHDR"), !chunk.hasType("CgBI") {
                throw PNGHeader.corrupt("does not begin with an IHDR chunk")
            }
            let isWhole = chunk.end <= bytes.byteCount
            if chunk.hasType("IDAT") { noteData(chunk, isWhole) } else { isRunOver = firstIDAT != nil }
            guard isWhole else { return progress(chunk.end) }
            try note(chunk, bytes)
            offset = chunk.end
        }
        needed = .max
        return .complete
    }

    private mutating func progress(_ count: Int) -> Progress {
        needed = count
        return firstIDAT == nil ? .needs(count) : .complete
    }

    /// Called once more for a chunk that was not whole.
    private mutating func noteData(_ chunk: PNGChunk, _ isWhole: Bool) {
        guard !isRunOver else { return }
        if firstIDAT == nil { firstIDAT = chunk.offset }
        animation.noteData(chunk, isWhole: isWhole)
        if chunk.offset >= dataEnd {
            dataEnd = chunk.end
            idatCount += 1
            idatBytes += chunk.data.count
        }
    }

    private mutating func note(_ chunk: PNGChunk, _ bytes: RawSpan) throws(ImageError) {
        if chunk.isCritical {
            try noteCritical(chunk, bytes)
        } else if chunk.hasType("fdAT") {
            animation.noteFrameData(chunk, bytes)
        } else if chunk.hasType("fcTL") {
            if let header { animation.noteFrame(chunk, bytes, canvas: header.size) }
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
            animation.noteEnd()
            if let warning = animation.countWarning { warnings.append(warning) }
        } else if !chunk.hasType("IDAT"), firstIDAT == nil {
            if !chunk.hasType("PLTE") || palette != nil || transparency != nil || !chunk.isIntact(bytes) {
                isPlain = false
            }
            if chunk.hasType("PLTE"), palette == nil { palette = chunk.data }
        }
    }

    private func isUseful(_ chunk: PNGChunk, _ bytes: RawSpan) -> Bool {
        chunk.hasType("tRNS") || chunk.hasType("iCCP") || chunk.hasType("eXIf") || chunk.hasType("pHYs")
            || chunk.hasType("acTL")
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
        } else {
            animation.noteControl(chunk, bytes)
        }
    }

    private mutating func noteDensity(_ chunk: PNGChunk, _ bytes: RawSpan) {
        let start = chunk.data.lowerBound
        guard density == nil, chunk.data.count == 9, bytes.byte(start + 8) == 1,
            let x = bytes.bigEndian32(start), let y = bytes.bigEndian32(start + 4), x > 0, y > 0
        else { return }
        density = PixelDensity(horizontal: Double(x) * 0.0254, vertical: Double(y) * 0.0254)
    }
}

extension PNGHead {
    /// What stands before the picture data, as far as pixels depend on it: the file's head, its palette and what is
    /// transparent.
    func lead(of data: Data) -> Data {
        let start = data.startIndex
        // The header chunk is the first one: its length and name, 13 bytes and a checksum.
        var lead = Data(data[start..<start + min(data.count, PNGHeader.signature.count + 25)])
        for chunk in [palette, transparency].compactMap(\.self) {
            // The chunk's length and name, and its checksum.
            lead.append(data[start + chunk.lowerBound - 8..<start + chunk.upperBound + 4])
        }
        return lead
    }

    static var isCgBI: ImageError {
        ImageError(
            .unsupportedFeature, stage: .decode,
            "The file is in Apple's CgBI form, which is no PNG; convert it with Apple's tools.")
    }

    /// Whether pixels can be not opaque.
    var hasAlpha: Bool { header?.colorType.hasAlpha == true || transparency != nil }

    /// The orientation that the EXIF block states, `.up` where it states none.
    func orientation(_ bytes: RawSpan) -> Orientation {
        guard let exif else { return .up }
        return EXIFOrientation.orientation(inTIFF: bytes.extracting(exif)) ?? .up
    }

    func info(_ bytes: RawSpan) throws(ImageError) -> ImageInfo {
        guard let header else { throw PNGHeader.corrupt("has no IHDR chunk") }
        let frames = animation.playable
        return ImageInfo(
            format: .png, storedSize: header.size, orientation: orientation(bytes),
            frameCount: max(1, frames.count), loopCount: frames.isEmpty ? 1 : animation.plays ?? 1,
            frameDurationsMilliseconds: frames.map(\.durationMilliseconds),
            hasAlpha: hasAlpha || claimsTransparency,
            hasICCProfile: claimsProfile, bitsPerSample: header.depth, isMultiPass: header.isInterlaced)
    }
}
