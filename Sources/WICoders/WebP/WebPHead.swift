// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// What a file's chunks say (RFC 9649), without a pixel being decoded.
///
/// Reads nothing outside the bytes it is given.
struct WebPHead {
    enum Progress: Equatable {
        /// The first picture's header is known.
        case complete
        /// It takes at least so many bytes to go on.
        case needs(Int)
    }

    private static let animationFlag: UInt8 = 0x02
    private static let exifFlag: UInt8 = 0x08
    private static let alphaFlag: UInt8 = 0x10
    private static let firstChunk = 12

    /// The still, where the file holds one.
    private(set) var still: WebPBitstream?
    /// The first frame, where the file is an animation.
    private(set) var firstFrame: WebPFrame?
    /// Where the ANMF chunks of the frames begin; of those behind the first, only whole ones count.
    private(set) var frameOffsets: [Int] = []
    /// Whether the bytes end before the file does, by its own account.
    private(set) var isCut = false
    /// Whether the bytes end within a frame behind the first.
    private(set) var lacksFrames = false
    private(set) var exif: Range<Int>?
    private(set) var xmp: Range<Int>?
    private(set) var icc: Range<Int>?
    private var canvas: PixelSize?
    private var flags: UInt8 = 0
    private var loops = 0
    private var alpha: Int?
    /// Bytes that what is read next takes.
    private var needed = 0

    /// Walks the chunks as far as there are bytes.
    ///
    /// - Throws: `corruptData` where the bytes cannot be a WebP file's.
    mutating func read(_ bytes: RawSpan) throws(ImageError) -> Progress {
        needed = Self.firstChunk + WebPChunk.headerLength
        guard let stated = bytes.littleEndian32(4), let first = WebPChunk(bytes, at: Self.firstChunk) else {
            return .needs(needed)
        }
        // Bytes behind the RIFF chunk are not the file's.
        let end = 8 + stated
        guard end >= needed else {
            throw Self.corrupt("says that it has \(stated) bytes, too few for a picture")
        }
        isCut = end > bytes.byteCount
        guard first.hasName("VP8X") else {
            still = try WebPBitstream(bytes, try Self.simple(first), alpha: nil, needed: &needed)
            return still == nil ? .needs(needed) : .complete
        }
        guard try readCanvas(bytes, first) else { return .needs(needed) }
        return try readChunks(bytes, from: first.end, to: end)
    }

    private static func simple(_ chunk: WebPChunk) throws(ImageError) -> WebPChunk {
        guard chunk.hasName("VP8 ") || chunk.hasName("VP8L") else {
            throw Self.corrupt("begins with a chunk that is no picture")
        }
        return chunk
    }

    /// False when its bytes are not there yet.
    private mutating func readCanvas(_ bytes: RawSpan, _ chunk: WebPChunk) throws(ImageError) -> Bool {
        let start = chunk.data.lowerBound
        guard chunk.data.count >= 10 else {
            throw Self.corrupt("has a VP8X chunk of \(chunk.data.count) bytes")
        }
        guard let flags = bytes.byte(start), let width = bytes.littleEndian24(start + 4),
            let height = bytes.littleEndian24(start + 7)
        else {
            needed = start + 10
            return false
        }
        self.flags = flags
        canvas = PixelSize(width: width + 1, height: height + 1)
        return true
    }

    private mutating func readChunks(
        _ bytes: RawSpan, from start: Int, to end: Int
    ) throws(ImageError) -> Progress {
        var offset = start
        while offset + WebPChunk.headerLength <= end {
            needed = offset + WebPChunk.headerLength
            guard let chunk = WebPChunk(bytes, at: offset) else { break }
            guard try note(bytes, chunk) else { return .needs(needed) }
            offset = chunk.end
        }
        if hasPicture { return .complete }
        guard offset + WebPChunk.headerLength <= end else { throw Self.corrupt("holds no picture") }
        return .needs(needed)
    }

    private var hasPicture: Bool { still != nil || firstFrame != nil }
    /// Whether an EXIF block is to come behind what has been read.
    var awaitsEXIF: Bool { flags & Self.exifFlag != 0 && exif == nil }
    private var isAnimation: Bool { flags & Self.animationFlag != 0 }

    /// False when the chunk is the first picture, and its header is not there yet.
    private mutating func note(_ bytes: RawSpan, _ chunk: WebPChunk) throws(ImageError) -> Bool {
        if chunk.hasName("ANMF"), isAnimation { return try noteFrame(bytes, chunk) }
        if chunk.hasName("VP8 ") || chunk.hasName("VP8L"), !isAnimation, still == nil {
            still = try WebPBitstream(bytes, chunk, alpha: alpha, needed: &needed)
            if let still, still.size != canvas {
                throw Self.corrupt("has a picture of \(still.size) pixels for a canvas of another size")
            }
            return still != nil
        }
        if chunk.hasName("ALPH"), still == nil { alpha = alpha ?? chunk.offset }
        guard chunk.isWhole(bytes) else { return true }
        // The first of each kind counts.
        if chunk.hasName("ICCP") { icc = icc ?? chunk.data }
        if chunk.hasName("EXIF") { exif = exif ?? Self.withoutPrefix(bytes, chunk.data) }
        if chunk.hasName("XMP ") { xmp = xmp ?? chunk.data }
        if chunk.hasName("ANIM") { loops = bytes.littleEndian16(chunk.data.lowerBound + 4) ?? 0 }
        return true
    }

    private mutating func noteFrame(_ bytes: RawSpan, _ chunk: WebPChunk) throws(ImageError) -> Bool {
        if firstFrame == nil, let canvas {
            firstFrame = try WebPFrame(bytes, chunk, canvas: canvas, needed: &needed)
            if firstFrame == nil { return false }
            frameOffsets.append(chunk.offset)
        } else if chunk.isWhole(bytes) {
            frameOffsets.append(chunk.offset)
        } else {
            lacksFrames = true
        }
        return true
    }

    /// Some writers put before the block what JPEG does.
    private static func withoutPrefix(_ bytes: RawSpan, _ range: Range<Int>) -> Range<Int> {
        guard range.count >= 6, bytes.has("Exif\0\0", at: range.lowerBound) else { return range }
        return range.lowerBound + 6..<range.upperBound
    }

    /// Of the still, or the canvas; nil before either is known.
    var size: PixelSize? { canvas ?? still?.size }
    /// The still's pixels, or the first frame's.
    var bitstream: WebPBitstream? { still ?? firstFrame?.bitstream }

    /// All frames in order; nil stands for one that is none, or does not lie on the canvas.
    ///
    /// - Throws: `corruptData` for the first such frame where `isStrict`.
    func frames(_ bytes: RawSpan, isStrict: Bool) throws(ImageError) -> [WebPFrame?] {
        var frames: [WebPFrame?] = []
        frames.reserveCapacity(frameOffsets.count)
        for offset in frameOffsets {
            do throws(ImageError) {
                frames.append(try frame(bytes, at: offset))
            } catch {
                if isStrict { throw error }
                frames.append(nil)
            }
        }
        return frames
    }

    private func frame(_ bytes: RawSpan, at offset: Int) throws(ImageError) -> WebPFrame? {
        guard let chunk = WebPChunk(bytes, at: offset), let canvas else { return nil }
        var needed = 0
        return try WebPFrame(bytes, chunk, canvas: canvas, needed: &needed)
    }

    /// What the chunks say together.
    func info(_ bytes: RawSpan) throws(ImageError) -> ImageInfo {
        guard let size, size.width > 0, size.height > 0 else {
            throw Self.corrupt("says that it has no pixels")
        }
        let isAnimation = firstFrame != nil
        return ImageInfo(
            format: .webp, storedSize: size, orientation: orientation(bytes),
            frameCount: isAnimation ? frameOffsets.count : 1, loopCount: isAnimation ? loops : 1,
            frameDurationsMilliseconds: frameOffsets.map { Double(WebPFrame.duration(bytes, at: $0)) },
            hasAlpha: flags & Self.alphaFlag != 0 || bitstream?.claimsAlpha == true, hasICCProfile: icc != nil
        )
    }

    /// The orientation that the EXIF block states, `.up` where it states none.
    private func orientation(_ bytes: RawSpan) -> Orientation {
        guard let exif else { return .up }
        return EXIFOrientation.orientation(inTIFF: bytes.extracting(exif)) ?? .up
    }

    static func corrupt(_ what: String) -> ImageError {
        ImageError(.corruptData, stage: .decode, "The WebP file \(what): it is damaged.")
    }

    static func cut(_ count: Int) -> ImageError {
        guard count > 0 else { return ImageError(.emptyData, stage: .decode, "The WebP file is empty.") }
        return ImageError(
            .truncatedData, stage: .decode,
            "The WebP file ends after \(count) bytes, before its picture; load it again.")
    }
}
