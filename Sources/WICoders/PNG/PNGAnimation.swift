// SPDX-License-Identifier: MIT
internal import WICore

/// The frames that a file's acTL, fcTL and fdAT chunks describe, found chunk by chunk.
///
/// A file that breaks a rule of theirs is no animation, as the standard has it: its default image remains.
struct PNGAnimation: Sendable {
    /// Times that it plays, 0 for ever; nil without an acTL chunk before the picture data.
    private(set) var plays: Int?
    /// In order. The last one may lack data.
    private(set) var frames: [PNGFrame] = []
    /// The first rule that is broken, in words.
    private(set) var damage: String?
    /// What the acTL chunk says.
    private var statedFrames = 0
    /// Of the next fcTL or fdAT chunk.
    private var sequence = 0
    /// Whether the picture data have begun.
    private var isBehindHead = false
    /// Whether the default image is the first frame.
    private(set) var hasDefaultFrame = false

    /// An acTL chunk: the first one before the picture data counts.
    mutating func noteControl(_ chunk: PNGChunk, _ bytes: RawSpan) {
        guard !isBehindHead, plays == nil, chunk.data.count >= 8 else { return }
        plays = bytes.bigEndian32(chunk.data.lowerBound + 4)
        statedFrames = bytes.bigEndian32(chunk.data.lowerBound) ?? 0
        if statedFrames == 0 { note("it says that it has no frame") }
    }

    /// An fcTL chunk, all of which is there.
    mutating func noteFrame(_ chunk: PNGChunk, _ bytes: RawSpan, canvas: PixelSize) {
        guard isOpen else { return }
        noteSequence(chunk, bytes)
        if lacksData { return note("a frame has no data") }
        guard chunk.data.count == PNGFrame.controlLength, chunk.isIntact(bytes),
            let frame = PNGFrame(bytes, at: chunk.data.lowerBound, canvas: canvas)
        else { return note("a frame's control chunk is damaged, or says what cannot be") }
        if !isBehindHead, frame.size != canvas { return note("its first frame is not the default image") }
        frames.append(frame)
    }

    /// An IDAT chunk of the run that is the default image, whose data may be missing.
    mutating func noteData(_ chunk: PNGChunk, isWhole: Bool) {
        guard isOpen else { return }
        if !isBehindHead { hasDefaultFrame = !frames.isEmpty }
        isBehindHead = true
        if plays == nil { frames = [] }
        if isWhole, hasDefaultFrame, frames.count == 1 { extend(chunk) }
    }

    /// An fdAT chunk, all of which is there.
    mutating func noteFrameData(_ chunk: PNGChunk, _ bytes: RawSpan) {
        guard isOpen else { return }
        noteSequence(chunk, bytes)
        guard isBehindHead, frames.count > (hasDefaultFrame ? 1 : 0), chunk.data.count >= 4 else {
            return note("there are data of no frame")
        }
        extend(chunk)
    }

    /// The IEND chunk.
    mutating func noteEnd() {
        guard isOpen else { return }
        if lacksData { note("a frame has no data") } else if frames.isEmpty { note("it has no frame") }
    }

    /// Whether chunks still matter.
    private var isOpen: Bool { damage == nil && !(isBehindHead && plays == nil) }
    private var lacksData: Bool { frames.last?.chunks.isEmpty ?? false }

    private mutating func extend(_ chunk: PNGChunk) {
        guard let last = frames.indices.last else { return }
        let start = frames[last].chunks.isEmpty ? chunk.offset : frames[last].chunks.lowerBound
        frames[last].chunks = start..<chunk.end
    }

    private mutating func noteSequence(_ chunk: PNGChunk, _ bytes: RawSpan) {
        if bytes.bigEndian32(chunk.data.lowerBound) != sequence || chunk.data.count < 4 {
            note("its chunks are not in their order")
        }
        sequence += 1
    }

    private mutating func note(_ damage: String) {
        if self.damage == nil { self.damage = damage }
    }

    /// Frames of which there are data; none where it is no animation.
    var playable: ArraySlice<PNGFrame> {
        guard plays != nil, damage == nil else { return [] }
        return lacksData ? frames.dropLast() : frames[...]
    }

    /// Frames that are known to be whole while the file arrives: others, or its end, follow them.
    func finished(hasEnd: Bool) -> ArraySlice<PNGFrame> {
        guard plays != nil, damage == nil else { return [] }
        return hasEnd ? frames[...] : frames.dropLast()
    }

    /// Whether it is an animation that is not to be played.
    var isDamaged: Bool { plays != nil && damage != nil }

    /// Whether the first `count` frames show more than the default image.
    func isMoving(_ count: Int) -> Bool { count > 1 || count == 1 && !hasDefaultFrame }

    /// Whether the file says that it has more than `count` frames, nil for its default image alone.
    func lacksFrames(_ count: Int?) -> Bool { (count ?? (hasDefaultFrame ? 1 : 0)) < statedFrames }

    /// What is odd about the number of frames, where the file is whole.
    var countWarning: String? {
        guard plays != nil, damage == nil, frames.count != statedFrames else { return nil }
        return "The PNG file says that it has \(statedFrames) frames, and has \(frames.count)."
    }
}
