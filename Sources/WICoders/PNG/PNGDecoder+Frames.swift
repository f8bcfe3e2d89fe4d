// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

extension PNGDecoder {
    /// The frames of an animation; nil for a still, or where the first one alone is wanted.
    ///
    /// - Throws: also `corruptData` and `truncatedData` where a damaged or cut animation is refused.
    func frameSource(_ work: borrowing WorkContext) throws(ImageError) -> PNGFrameSource? {
        guard !options.firstFrameOnly else { return nil }
        try refuseMissingFrames()
        let images = try wholeFrames(work)
        return head.animation.isMoving(images.count) ? PNGFrameSource(self, images) : nil
    }

    /// - Throws: `frameLimit`.
    private func wholeFrames(_ work: borrowing WorkContext) throws(ImageError) -> [PNGFrame] {
        let images = head.animation.playable
        guard head.animation.isMoving(images.count), let last = images.last else { return [] }
        try check(images)
        // Whether a cut file lacks chunks of its last frame is not said anywhere: the data tell.
        guard !head.hasEnd, try !isWhole(last, work) else { return Array(images) }
        return images.dropLast()
    }

    private func check(_ images: ArraySlice<PNGFrame>) throws(ImageError) {
        let limits = options.limits
        guard images.count <= limits.frames else {
            throw ImageError(
                .frameLimit, stage: .decode,
                "The PNG file has \(images.count) frames, more than the limit of \(limits.frames); "
                    + "raise DecodeLimits.frames if you trust it.")
        }
        try limits.checkCompositing(images.lazy.map { $0.size.width * $0.size.height }, format: .png)
    }

    private func isWhole(_ frame: PNGFrame, _ work: borrowing WorkContext) throws(ImageError) -> Bool {
        do throws(ImageError) {
            return try !Self.frame(frame, head, data, DecodeOptions()).decode(work).metadata.isPartial
        } catch {
            if error.code == .cancelled { throw error }
            return false
        }
    }

    private func refuseMissingFrames() throws(ImageError) {
        guard options[PNGDecoding.self].strictness == .strict else { return }
        if head.animation.isDamaged {
            throw ImageError(
                .corruptData, stage: .decode,
                "The PNG file's animation is damaged, and partial pictures are refused (PNGDecoding.strictness).",
                underlying: head.animation.damage)
        }
        guard head.animation.plays == nil || head.hasEnd else {
            throw ImageError(
                .truncatedData, stage: .decode,
                "The PNG file ends after \(data.count) bytes, and animations that lack frames are refused "
                    + "(PNGDecoding.strictness).")
        }
    }

    /// Tells the metadata what a player does not see.
    func noteMissingFrames(_ frames: PNGFrameSource?, _ metadata: inout ImageMetadata) {
        guard !options.firstFrameOnly, head.animation.plays != nil else { return }
        if let damage = head.animation.damage {
            metadata.isPartial = true
            metadata.warnings.append(
                "The PNG file's animation is damaged and was left out: \(damage). Its default image is shown."
            )
        } else if !head.hasEnd, head.animation.lacksFrames(frames?.frames.count) {
            metadata.isPartial = true
            metadata.warnings.append("The PNG file ends within its animation: frames are missing.")
        }
    }

    /// The picture of a frame, which is a still of its own: the file's header with the frame's size, its palette and the
    /// frame's data.
    ///
    /// A data chunk with a wrong checksum, and what follows it, is left out.
    static func frame(
        _ frame: PNGFrame, _ head: PNGHead, _ data: Data, _ options: DecodeOptions
    ) throws(ImageError) -> PNGDecoder {
        var options = options
        options.firstFrameOnly = true
        return try PNGDecoder(PNGFrameFile(frame, head, data).data, options)
    }
}

/// The file that a frame would be.
private struct PNGFrameFile {
    private(set) var data = Data(PNGHeader.signature)

    init(_ frame: PNGFrame, _ head: PNGHead, _ file: Data) throws(ImageError) {
        guard let header = head.header else { throw PNGHeader.corrupt("has no IHDR chunk") }
        let bytes = file.bytes
        data.reserveCapacity(frame.chunks.count + head.leadLength + 80)
        append("IHDR", header.data(for: frame.size))
        data.append(head.lead(of: file).dropFirst(PNGHeader.signature.count + 25))
        append("IDAT", Self.stream(frame.chunks, file, bytes))
        append("IEND", Data())
    }

    /// The frame's data chunks joined; those of fdAT chunks begin with a number.
    private static func stream(_ range: Range<Int>, _ file: Data, _ bytes: RawSpan) -> Data {
        var stream = Data(capacity: range.count)
        var offset = range.lowerBound
        while offset < range.upperBound, let chunk = try? PNGChunk(bytes, at: offset),
            chunk.end <= bytes.byteCount
        {
            let skipped = chunk.hasType("IDAT") ? 0 : chunk.hasType("fdAT") ? 4 : chunk.data.count
            if skipped < chunk.data.count {
                guard chunk.isIntact(bytes) else { break }
                let start = file.startIndex
                stream.append(
                    file[start + chunk.data.lowerBound + skipped..<start + chunk.data.upperBound])
            }
            offset = chunk.end
        }
        return stream
    }

    private mutating func append(_ name: StaticString, _ content: Data) {
        appendNumber(content.count)
        let start = data.count
        name.withUTF8Buffer { data.append(contentsOf: $0) }
        data.append(content)
        appendNumber(PNGChunk.checksum(data.bytes, start..<data.count))
    }

    private mutating func appendNumber(_ number: Int) { data.append(bigEndian: number) }
}

extension Data {
    /// Appends four bytes, most significant first.
    mutating func append(bigEndian number: Int) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}

extension PNGHeader {
    /// The IHDR chunk's data for a picture of the same kind and another size.
    fileprivate func data(for size: PixelSize) -> Data {
        var data = Data(capacity: 13)
        data.append(bigEndian: size.width)
        data.append(bigEndian: size.height)
        data.append(contentsOf: [UInt8(depth), UInt8(colorType.rawValue), 0, 0, isInterlaced ? 1 : 0])
        return data
    }
}

extension PNGHead {
    /// Bytes of the palette and what goes with it.
    fileprivate var leadLength: Int { (palette?.count ?? 0) + (transparency?.count ?? 0) + 24 }
}
