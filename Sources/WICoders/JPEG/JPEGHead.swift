// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// What the markers before the first scan say (ISO/IEC 10918-1, annex B).
///
/// Reads nothing outside the bytes it is given.
struct JPEGHead {
    enum Progress {
        /// The first scan begins.
        case complete
        /// It takes at least so many bytes to go on.
        case needs(Int)
    }

    private(set) var size: PixelSize?
    private(set) var precision = 8
    private(set) var components = 0
    private(set) var startOfFrame: UInt8 = 0
    private(set) var density: PixelDensity?
    private(set) var exif: Range<Int>?
    private(set) var xmp: Range<Int>?
    private(set) var hasICC = false
    private var iccChunks: [Int: Range<Int>] = [:]
    private var iccCount = 0
    private var scanComponents = 0

    /// Whether it takes several scans to have all components and bits: progressive frames, and such as come plane by
    /// plane.
    var isMultiPass: Bool {
        startOfFrame == 0xC2 || startOfFrame == 0xCA || scanComponents < components
    }

    /// Walks the markers.
    ///
    /// - Throws: `notAnImage` where they do not begin as one, `corruptData` where they cannot be a JPEG file's head,
    ///   `unsupportedFeature`.
    mutating func read(_ bytes: RawSpan) throws(ImageError) -> Progress {
        guard bytes.byteCount < 2 || bytes.bigEndian16(0) == 0xFFD8 else {
            throw .notAnImage(bytes, expected: .jpeg)
        }
        var offset = 2
        while true {
            // Stray bytes before a marker are skipped, as libjpeg does; so are the fill bytes that may precede one.
            while let byte = bytes.byte(offset), byte != 0xFF { offset += 1 }
            while let next = bytes.byte(offset + 1), next == 0xFF { offset += 1 }
            guard let marker = bytes.byte(offset + 1) else { return .needs(offset + 2) }
            offset += 2
            switch marker {
            case 0x00, 0x01, 0xD0...0xD8: continue
            case 0xD9: throw JPEGHead.corrupt("ends before its first scan")
            default: break
            }
            guard let stated = bytes.bigEndian16(offset) else { return .needs(offset + 2) }
            // An application segment or comment that is shorter than its own length counts as empty, as with libjpeg.
            let length = marker >= 0xE0 ? max(2, stated) : stated
            guard length >= 2 else { throw JPEGHead.corrupt("has a marker segment of \(length) bytes") }
            if marker == 0xDA {
                guard size != nil else { throw JPEGHead.corrupt("begins a scan before its frame header") }
                guard let count = bytes.byte(offset + 2) else { return .needs(offset + 3) }
                scanComponents = Int(count)
                return .complete
            }
            guard offset + length <= bytes.byteCount else { return .needs(offset + length) }
            try note(marker, offset + 2..<offset + length, bytes)
            offset += length
        }
    }

    private mutating func note(_ marker: UInt8, _ range: Range<Int>, _ bytes: RawSpan) throws(ImageError) {
        switch marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: try noteFrame(marker, range, bytes)
        case 0xE0: noteJFIF(range, bytes)
        case 0xE1: noteAPP1(range, bytes)
        case 0xE2: noteICC(range, bytes)
        default: break
        }
    }

    private mutating func noteFrame(
        _ marker: UInt8, _ range: Range<Int>, _ bytes: RawSpan
    ) throws(ImageError) {
        guard size == nil else { return }
        guard range.count >= 6, let precision = bytes.byte(range.lowerBound),
            let height = bytes.bigEndian16(range.lowerBound + 1),
            let width = bytes.bigEndian16(range.lowerBound + 3),
            let components = bytes.byte(range.lowerBound + 5)
        else { throw JPEGHead.corrupt("has a frame header that is too short") }
        self.precision = Int(precision)
        self.components = Int(components)
        startOfFrame = marker
        size = PixelSize(width: width, height: height)
        try checkFrame()
    }

    /// Refuses what the library would refuse later: a caller should not load the rest of such a file.
    private func checkFrame() throws(ImageError) {
        guard [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(startOfFrame) else {
            throw JPEGHead.unsupported("is lossless or hierarchical (SOF\(startOfFrame - 0xC0))")
        }
        guard precision == 8 else {
            throw precision == 12
                ? JPEGHead.unsupported("has samples of 12 bits")
                : JPEGHead.corrupt("claims samples of \(precision) bits")
        }
        guard [1, 3, 4].contains(components) else {
            throw JPEGHead.unsupported(
                "has \(components) components, and only 1, 3 and 4 have a known meaning")
        }
    }

    private mutating func noteJFIF(_ range: Range<Int>, _ bytes: RawSpan) {
        guard density == nil, bytes.has("JFIF\0", at: range.lowerBound), range.count >= 12,
            let unit = bytes.byte(range.lowerBound + 7), let x = bytes.bigEndian16(range.lowerBound + 8),
            let y = bytes.bigEndian16(range.lowerBound + 10), x > 0, y > 0, unit == 1 || unit == 2
        else { return }
        let factor = unit == 2 ? 2.54 : 1
        density = PixelDensity(horizontal: Double(x) * factor, vertical: Double(y) * factor)
    }

    /// The first EXIF block counts, and the first XMP packet.
    private mutating func noteAPP1(_ range: Range<Int>, _ bytes: RawSpan) {
        if exif == nil, range.count > 6, bytes.has("Exif\0", at: range.lowerBound) {
            exif = range.lowerBound + 6..<range.upperBound
        } else if xmp == nil, range.count > 29,
            bytes.has("http://ns.adobe.com/xap/1.0/\0", at: range.lowerBound)
        {
            xmp = range.lowerBound + 29..<range.upperBound
        }
    }

    private mutating func noteICC(_ range: Range<Int>, _ bytes: RawSpan) {
        guard range.count >= 14, bytes.has("ICC_PROFILE\0", at: range.lowerBound),
            let number = bytes.byte(range.lowerBound + 12), let count = bytes.byte(range.lowerBound + 13)
        else { return }
        let isRepeated = iccChunks[Int(number)] != nil || (hasICC && iccCount != Int(count))
        hasICC = true
        // A count of 0 never matches the chunks: a contradictory sequence gives no profile.
        iccCount = isRepeated ? 0 : Int(count)
        iccChunks[Int(number)] = range.lowerBound + 14..<range.upperBound
    }

    /// Whether there are chunks of a profile that do not make a whole.
    var hasBrokenICC: Bool { hasICC && iccRanges == nil }

    /// The profile's chunks in order (ICC.1:2010, B.4); nil when there is none, or one is missing.
    private var iccRanges: [Range<Int>]? {
        guard iccCount > 0, iccChunks.count == iccCount else { return nil }
        let ranges = (1...iccCount).compactMap { iccChunks[$0] }
        return ranges.count == iccCount ? ranges : nil
    }

    /// The profile, where it describes RGB, as the pixels that are handed over are.
    ///
    /// - Throws: `metadataLimit`.
    func iccProfile(_ data: Data, limit: ByteCount) throws(ImageError) -> Data? {
        guard let ranges = iccRanges else { return nil }
        let total = ranges.reduce(0) { $0 + $1.count }
        try Self.check(total, "ICC profile", limit)
        var profile = Data(capacity: total)
        for range in ranges { profile.append(Self.slice(data, range)) }
        return profile.bytes.has("RGB ", at: 16) ? profile : nil
    }

    /// A block of the file.
    ///
    /// - Throws: `metadataLimit`.
    static func block(
        _ range: Range<Int>?, _ data: Data, _ name: String, limit: ByteCount
    ) throws(ImageError) -> Data? {
        guard let range else { return nil }
        try check(range.count, name, limit)
        return Data(slice(data, range))
    }

    private static func slice(_ data: Data, _ range: Range<Int>) -> Data {
        data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound]
    }

    private static func check(_ count: Int, _ name: String, _ limit: ByteCount) throws(ImageError) {
        guard count <= limit.bytes else {
            throw ImageError(
                .metadataLimit, stage: .decode,
                "The \(name) has \(ByteCount(count)), more than the limit of \(limit); raise DecodeLimits.metadataBlock."
            )
        }
    }

    static func corrupt(_ what: String) -> ImageError {
        ImageError(.corruptData, stage: .decode, "The JPEG file \(what): it is damaged.")
    }

    static func unsupported(_ what: String) -> ImageError {
        ImageError(
            .unsupportedFeature, stage: .decode, "The JPEG file \(what), which is not supported; convert it.")
    }

    static func cut(_ count: Int) -> ImageError {
        guard count > 0 else { return ImageError(.emptyData, stage: .decode, "The JPEG file is empty.") }
        return ImageError(
            .truncatedData, stage: .decode,
            "The JPEG file ends after \(count) bytes, before its first scan; load it again.")
    }
}

extension JPEGHead {
    /// The orientation that the EXIF block states, `.up` where it states none.
    func orientation(_ bytes: RawSpan) -> Orientation {
        guard let exif else { return .up }
        return EXIFOrientation.orientation(inTIFF: bytes.extracting(exif)) ?? .up
    }

    func info(_ bytes: RawSpan) throws(ImageError) -> ImageInfo {
        guard let size else { throw JPEGHead.corrupt("has no frame header") }
        guard size.width > 0 else { throw JPEGHead.corrupt("says that it is \(size) pixels") }
        guard size.height > 0 else {
            throw JPEGHead.unsupported("states its height only after the first scan (DNL)")
        }
        return ImageInfo(
            format: .jpeg, storedSize: size, orientation: orientation(bytes), hasICCProfile: hasICC,
            bitsPerSample: precision, isMultiPass: isMultiPass)
    }
}
