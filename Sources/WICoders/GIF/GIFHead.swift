// SPDX-License-Identifier: MIT
internal import WICore

/// What a GIF file's blocks say, found by walking them; no picture data are expanded.
///
/// It reads whatever browsers show: blocks with bytes between them, a file without a trailer, extensions that are cut.
/// giflib's calls are not used for this: they cannot say how much of a file is missing, refuse code sizes and colour
/// tables that browsers take, and copy every block. Nothing is read outside the bytes.
struct GIFHead: Sendable {
    enum Progress: Equatable {
        /// The first frame's picture data begin.
        case complete
        /// It takes at least so many bytes to go on.
        case needs(Int)
    }

    /// How far the walk goes.
    enum Extent { case firstFrame, all }

    /// The logical screen as stored, whose sides may be 0.
    private(set) var screen = PixelSize(width: 0, height: 0)
    private(set) var frames: [GIFFrame] = []
    /// Times that the animation plays, from a NETSCAPE2.0 or ANIMEXTS1.0 extension.
    private(set) var loops: Int?
    /// The sub-blocks of the extensions that hold a colour profile and XMP.
    private(set) var icc: Range<Int>?
    private(set) var xmp: Range<Int>?
    private(set) var hasTrailer = false
    /// Whether the file ends inside a block.
    private(set) var isCut = false
    private(set) var warnings: [String] = []
    private var globalPalette = 0..<0
    private var control = GIFFrame.Control()
    private var offset = 0
    /// Bytes from the file's start that the block at `offset` takes at least.
    private(set) var wanted = 0
    /// Frames all of whose data are there.
    private(set) var wholeFrames = 0
    /// Whether the bytes end among some that belong to no block, which are looked through again when more come.
    private(set) var isAmongStrayBytes = false
    /// Where the walk through the sub-blocks of the block at `offset` stopped.
    private var subBlock = 0

    private static let screenLength = 13

    /// Walks the blocks as far as there are bytes.
    ///
    /// Called again with more bytes behind the same ones, it goes on where it stopped.
    ///
    /// - Throws: `frameLimit` for more than `most` frames.
    mutating func read(
        _ bytes: RawSpan, to extent: Extent = .all, most: Int = .max
    ) throws(ImageError) -> Progress {
        if offset == 0, !readScreen(bytes) { return stop() }
        while !hasTrailer {
            guard let next = try step(bytes, most) else { return stop() }
            offset = next
            if extent == .firstFrame, !frames.isEmpty { return .complete }
        }
        return frames.isEmpty ? stop() : .complete
    }

    private mutating func stop() -> Progress {
        isCut = !hasTrailer
        return frames.isEmpty ? .needs(wanted) : .complete
    }

    private mutating func readScreen(_ bytes: RawSpan) -> Bool {
        wanted = Self.screenLength
        guard bytes.byteCount >= wanted, let width = bytes.littleEndian16(6),
            let height = bytes.littleEndian16(8), let packed = bytes.byte(10)
        else { return false }
        screen = PixelSize(width: width, height: height)
        if packed & 0x80 != 0 {
            globalPalette = Self.screenLength..<Self.screenLength + 6 << Int(packed & 7)
            wanted = globalPalette.upperBound
        }
        guard bytes.byteCount >= wanted else { return false }
        offset = wanted
        return true
    }

    /// Where the block after the one at `offset` begins; nil when the bytes end before.
    private mutating func step(_ bytes: RawSpan, _ most: Int) throws(ImageError) -> Int? {
        wanted = offset + 1
        isAmongStrayBytes = false
        switch bytes.byte(offset) {
        case nil: return nil
        case 0x2C: return try readFrame(bytes, most)
        case 0x21: return readExtension(bytes)
        case 0x3B:
            hasTrailer = true
            return offset + 1
        default: return skipStrayBytes(bytes)
        }
    }

    private mutating func readFrame(_ bytes: RawSpan, _ most: Int) throws(ImageError) -> Int? {
        wanted = offset + 11
        guard var frame = GIFFrame(bytes, at: offset, globalPalette, control) else { return nil }
        if bytes.byte(frame.data) == nil {
            wanted = frame.data + 1
            return nil
        }
        if frames.count == wholeFrames {
            guard frames.count < most else { throw Self.tooMany(most) }
            if frames.isEmpty, screen.width == 0 || screen.height == 0 {
                // The canvas is then the first frame, wherever that says it lies.
                frame.left = 0
                frame.top = 0
            }
            frames.append(frame)
            control = GIFFrame.Control()
        }
        guard let end = skipBlocks(bytes, from: frame.data + 1) else { return nil }
        wholeFrames = frames.count
        return end
    }

    private static func tooMany(_ most: Int) -> ImageError {
        ImageError(
            .frameLimit, stage: .decode,
            "The GIF file has more than the limit of \(most) frames; raise DecodeLimits.frames.")
    }

    private mutating func readExtension(_ bytes: RawSpan) -> Int? {
        wanted = offset + 3
        let start = offset + 2
        guard let label = bytes.byte(offset + 1), let length = bytes.byte(start),
            let end = skipBlocks(bytes, from: start)
        else { return nil }
        if label == 0xF9, length >= 4, let control = GIFFrame.Control(bytes, at: start + 1) {
            self.control = control
        } else if label == 0xFF, length == 11 {
            noteApplication(bytes, start + 1, content: start + 12..<end - 1)
        }
        return end
    }

    private mutating func noteApplication(_ bytes: RawSpan, _ name: Int, content: Range<Int>) {
        if bytes.has("NETSCAPE2.0", at: name) || bytes.has("ANIMEXTS1.0", at: name) {
            var block = content.lowerBound
            while block < content.upperBound, let length = bytes.byte(block) {
                if length >= 3, let kind = bytes.byte(block + 1), kind & 7 == 1 {
                    loops = bytes.littleEndian16(block + 2)
                }
                block += 1 + Int(length)
            }
        } else if bytes.has("ICCRGBG1012", at: name), icc == nil {
            icc = content
        } else if bytes.has("XMP DataXMP", at: name), xmp == nil {
            xmp = content
        }
    }

    /// Where the sub-blocks that begin at `start` have ended; nil when the bytes end before.
    private mutating func skipBlocks(_ bytes: RawSpan, from start: Int) -> Int? {
        var block = max(start, subBlock)
        while let length = bytes.byte(block) {
            block += 1 + Int(length)
            if length == 0 {
                subBlock = 0
                return block
            }
        }
        subBlock = block
        wanted = block + 1
        return nil
    }
}

extension GIFHead {
    /// Some writers leave bytes between blocks. Zeros are passed over; behind others, the walk goes on where a block
    /// begins that makes sense, and else ends, as if a trailer stood there.
    private mutating func skipStrayBytes(_ bytes: RawSpan) -> Int? {
        note("There are bytes between the file's blocks that belong to none.")
        var position = offset
        while bytes.byte(position) == 0 { position += 1 }
        wanted = position + 1
        guard let byte = bytes.byte(position) else { return nil }
        if [0x21, 0x2C, 0x3B].contains(byte) { return position }
        while position < bytes.byteCount {
            if isPlausibleBlock(bytes, position) { return position }
            position += 1
        }
        isAmongStrayBytes = true
        wanted = position + 1
        return nil
    }

    private func isPlausibleBlock(_ bytes: RawSpan, _ position: Int) -> Bool {
        switch bytes.byte(position) {
        case 0x3B: return position == bytes.byteCount - 1
        case 0x21:
            let length = bytes.byte(position + 2)
            return switch bytes.byte(position + 1) {
            case 0xF9: length == 4 && bytes.byte(position + 7) == 0
            case 0xFF: length == 11
            default: false
            }
        case 0x2C:
            guard let frame = GIFFrame(bytes, at: position, globalPalette, control),
                let codeSize = bytes.byte(frame.data)
            else { return false }
            return !frame.isEmpty && 2...8 ~= codeSize && frame.left + frame.width <= screen.width
                && frame.top + frame.height <= screen.height
        default: return false
        }
    }

    private mutating func note(_ warning: String) {
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    /// The logical screen; where one of its sides is 0, the size of the first frame, as browsers have it.
    var canvasSize: PixelSize {
        guard screen.width == 0 || screen.height == 0, let first = frames.first else { return screen }
        return first.size
    }

    /// What the blocks say, where there is a frame.
    var info: ImageInfo {
        let isAnimated = frames.count > 1
        return ImageInfo(
            format: .gif, storedSize: canvasSize, frameCount: max(1, frames.count), loopCount: loops ?? 1,
            frameDurationsMilliseconds: isAnimated ? frames.map(\.durationMilliseconds) : [],
            hasAlpha: frames.contains { $0.control.transparentIndex != nil }, hasICCProfile: icc != nil,
            isMultiPass: frames.first?.isInterlaced ?? false)
    }

    /// Why a file that is all there has no picture.
    func missingFrame(_ byteCount: Int) -> ImageError {
        if isCut {
            return ImageError(
                .truncatedData, stage: .decode,
                "The GIF file ends after \(byteCount) bytes, before its first picture.")
        }
        return ImageError(.corruptData, stage: .decode, "The GIF file holds no picture.")
    }
}

extension GIFFrame {
    /// The image whose separator stands at `offset`; nil when its descriptor does not lie within the bytes.
    ///
    /// Its colour table may lie outside.
    init?(_ bytes: RawSpan, at offset: Int, _ globalPalette: Range<Int>, _ control: Control) {
        guard let left = bytes.littleEndian16(offset + 1), let top = bytes.littleEndian16(offset + 3),
            let width = bytes.littleEndian16(offset + 5), let height = bytes.littleEndian16(offset + 7),
            let packed = bytes.byte(offset + 9)
        else { return nil }
        (self.left, self.top, self.width, self.height) = (left, top, width, height)
        isInterlaced = packed & 0x40 != 0
        data = offset + 10
        palette = globalPalette
        if packed & 0x80 != 0 {
            palette = data..<data + 6 << Int(packed & 7)
            data = palette.upperBound
        }
        self.control = control
    }
}
