// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// What a coder of animations has to do with one that it encoded.
struct AnimationChecks {
    private static let durations = [100.0, 40, 200, 70]
    private let coder: any AnimatedImageCoder
    private let format: ImageFormat

    init(_ coder: any AnimatedImageCoder, _ format: ImageFormat) {
        self.coder = coder
        self.format = format
    }

    func run(_ findings: inout Findings) {
        for loopCount in [0, 1, 3] {
            guard let image = findings.value("Drawing", { try animation(loopCount) }),
                let data = findings.value(
                    "Encoding an animation",
                    { try coder.encode(image, as: format, EncodeOptions(), WorkContext()) }),
                coder.decodableFormats.contains(format),
                let decoded = findings.value("Decoding an animation", { try decode(data) })
            else { return }
            guard let frames = decoded.frames else {
                return findings.add("An animation comes back as a still.")
            }
            findings.expect(
                frames.loopCount == loopCount, "\(loopCount) loops come back as \(frames.loopCount).")
            findings.expect(
                frames.frames.map(\.durationMilliseconds) == Self.durations,
                "The frames' times come back as \(frames.frames.map(\.durationMilliseconds)).")
            guard frames.frames.count == Self.durations.count else { return }
            do {
                try compare(frames, with: image, &findings)
            } catch {
                findings.add("Reading frames throws: \(error)")
            }
        }
        checkFirstFrame(&findings)
    }

    private func animation(_ loopCount: Int) throws -> DecodedImage {
        let pictures = try Self.durations.enumerated().map { index, duration in
            let pixels = try ImageFactory.picture(24, 18) { x, y, channel in
                channel == 3 || (x + 6 * index) % 24 < 6 && (4..<12).contains(y) ? 255 : UInt8(40 * channel)
            }
            return (pixels: pixels, durationMilliseconds: duration)
        }
        let frames = try FrameList(pictures, loopCount: loopCount)
        return DecodedImage(pixels: pictures[0].pixels, loopCount: loopCount, frames: frames)
    }

    private func decode(_ data: Data) throws -> DecodedImage {
        try coder.decode(data, DecodeOptions(), WorkContext())
    }

    /// Each frame by one reader in order, and by another backwards.
    private func compare(
        _ frames: any FrameSource, with image: DecodedImage, _ findings: inout Findings
    ) throws {
        let (forwards, backwards) = (try frames.makeReader(), try frames.makeReader())
        let original = try image.frames?.makeReader()
        let inOrder = try frames.frames.indices.map { Samples(try forwards.frame(at: $0, WorkContext())) }
        for index in frames.frames.indices.reversed() {
            let again = Samples(try backwards.frame(at: index, WorkContext()))
            findings.expect(
                again.distance(to: inOrder[index]) == 0,
                "Frame \(index) differs when frames are read backwards.")
            guard let wanted = try original?.frame(at: index, WorkContext()) else { continue }
            findings.expect(
                Samples(wanted).meanDistance(to: again) < 32,
                "Frame \(index) comes back as another picture.")
        }
        findings.expectError("Reading a frame that is not there", [.invalidArgument]) {
            _ = try forwards.frame(at: frames.frames.count, WorkContext())
        }
    }

    private func checkFirstFrame(_ findings: inout Findings) {
        guard let image = try? animation(0) else { return }
        var encoding = EncodeOptions()
        encoding.firstFrameOnly = true
        if let still = findings.value(
            "Encoding the first frame", { try coder.encode(image, as: format, encoding, WorkContext()) })
        {
            findings.expect((try? decode(still))?.frames == nil, "The first frame alone comes back animated.")
        }
        guard let whole = try? coder.encode(image, as: format, EncodeOptions(), WorkContext()) else { return }
        var decoding = DecodeOptions()
        decoding.firstFrameOnly = true
        let first = findings.value("Decoding the first frame") {
            try coder.decode(whole, decoding, WorkContext())
        }
        findings.expect(first?.frames == nil, "The first frame alone is decoded animated.")
    }
}
