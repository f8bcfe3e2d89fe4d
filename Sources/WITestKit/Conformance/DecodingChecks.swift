// SPDX-License-Identifier: MIT
internal import Dispatch
internal import FoundationEssentials
internal import WICore

/// What a coder has to do with one sound file.
struct DecodingChecks {
    private let coder: any ImageCoder
    private let data: Data

    init(_ coder: any ImageCoder, _ data: Data) {
        self.coder = coder
        self.data = data
    }

    func run(_ findings: inout Findings) {
        guard let format = coder.format(of: data.prefix(64).bytes) else {
            return findings.add("Its first 64 bytes are not recognised.")
        }
        findings.expect(
            coder.decodableFormats.contains(format), "It is recognised as \(format), which is not decodable.")
        findings.expect(coder.format(of: Data().bytes) == nil, "No bytes at all are recognised as a format.")
        guard let image = findings.value("Decoding", { try decode() }),
            let info = findings.value("Probing", { try wholeInfo() })
        else { return }
        checkInfo(info, image, &findings)
        checkGrowingHead(info, &findings)
        checkSizes(info, &findings)
        checkPixelFormats(image, &findings)
        checkLimits(info, &findings)
        checkCuts(image, &findings)
        checkDamage(&findings)
        checkThreads(image, &findings)
    }

    private func decode(
        _ data: Data? = nil, _ change: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> DecodedImage {
        var options = DecodeOptions()
        change(&options)
        return try coder.decode(data ?? self.data, options, WorkContext())
    }

    private func wholeInfo() throws -> ImageInfo {
        guard case .info(let info) = try coder.probe(data.bytes, isComplete: true) else {
            throw ImageError(.truncatedData, stage: .decode, "It asks for more bytes than the file has.")
        }
        return info
    }

    private func checkInfo(_ info: ImageInfo, _ image: DecodedImage, _ findings: inout Findings) {
        findings.expect(
            image.metadata.storedSize == info.storedSize,
            "It is \(info.storedSize) when probed, and \(image.metadata.storedSize) when decoded.")
        findings.expect(!image.metadata.isPartial, "It is called partial.")
        findings.expect(
            info.hasAlpha || Samples(image.pixels).isOpaque,
            "Probing sees no alpha, and decoding gives some.")
        findings.expect(
            image.frames == nil || info.frameCount == image.frameCount,
            "It has \(info.frameCount) frames when probed, and \(image.frameCount) when decoded.")
        findings.expect(
            coder.estimate(info, DecodeOptions()) >= image.pixels.byteCount,
            "The estimate is less than the pixels alone take.")
    }

    private func checkGrowingHead(_ info: ImageInfo, _ findings: inout Findings) {
        var count = 16
        while count < data.count {
            let head = data.prefix(count)
            guard coder.format(of: head.bytes) != nil,
                let probe = findings.value(
                    "Probing \(count) bytes", { try coder.probe(head.bytes, isComplete: false) })
            else { return }
            switch probe {
            case .info(let early):
                findings.expect(
                    early.storedSize == info.storedSize && early.orientation == info.orientation,
                    "The first \(count) bytes, probed, say another size or orientation than all.")
                return
            case .needs(let wanted):
                guard wanted.bytes > count else {
                    return findings.add("With \(count) bytes, probing needs \(wanted): no progress.")
                }
                count = wanted.bytes
            }
        }
    }

    private func checkSizes(_ info: ImageInfo, _ findings: inout Findings) {
        let display = info.displaySize
        for box in [(1, 1), (5, 3), (display.width, 2), (0, max(1, display.height / 2)), (60_000, 60_000)] {
            for keepsRatio in [true, false] {
                var options = DecodeOptions()
                options.thumbnailSize = PixelSize(width: box.0, height: box.1)
                options.preservesAspectRatio = keepsRatio
                let target = options.targetSize(for: display)
                let image = findings.value("Decoding into \(box)") {
                    try coder.decode(data, options, WorkContext())
                }
                findings.expect(
                    image == nil || image?.size == target,
                    "Decoding into \(box) gives \(image?.size.description ?? ""), and \(target) is asked for."
                )
            }
        }
    }

    private func checkPixelFormats(_ image: DecodedImage, _ findings: inout Findings) {
        let plain = Samples(image.pixels)
        for format in [PixelFormat.bgra8, .rgba16] {
            guard
                let other = findings.value(
                    "Decoding to \(format)", { try decode { $0.pixelFormat = format } })
            else { continue }
            findings.expect(
                Samples(other.pixels).distance(to: plain) == 0, "Decoded to \(format), it has other colours.")
        }
        guard let other = findings.value("Decoding premultiplied", { try decode { $0.premultiplies = true } })
        else { return }
        findings.expect(
            other.pixels.alphaMode != .straight, "Premultiplied pixels are asked for, and straight ones come."
        )
        findings.expect(
            Samples(other.pixels).distance(to: plain.premultiplied) <= 1,
            "Decoded premultiplied, it has other colours.")
    }

    private func checkLimits(_ info: ImageInfo, _ findings: inout Findings) {
        let count = info.storedSize.pixelCount ?? 0
        if count > 1 {
            findings.expectError("Decoding more pixels than allowed", [.dimensionLimit]) {
                _ = try decode { $0.limits.pixels = count - 1 }
            }
        }
        let flag = CancellationFlag()
        flag.raise()
        findings.expectError("Decoding what was cancelled", [.cancelled]) {
            _ = try coder.decode(data, DecodeOptions(), WorkContext(flag: flag))
        }
    }

    private func checkCuts(_ image: DecodedImage, _ findings: inout Findings) {
        let step = max(1, data.count / 97)
        let whole = Samples(image.pixels)
        for count in stride(from: 0, to: data.count, by: step) {
            guard let cut = try? decode(Data(data.prefix(count))) else { continue }
            findings.expect(
                cut.size == image.size,
                "Cut after \(count) bytes, it is \(cut.size) instead of \(image.size).")
            findings.expect(
                cut.metadata.isPartial || Samples(cut.pixels).distance(to: whole) == 0,
                "Cut after \(count) bytes, pixels are missing and it is not called partial.")
        }
        findings.expectError("Decoding no bytes", [.emptyData, .truncatedData, .notAnImage, .corruptData]) {
            _ = try decode(Data())
        }
    }

    /// Nothing but a crash or a hang is wrong here.
    private func checkDamage(_ findings: inout Findings) {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                damaged[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            _ = try? coder.probe(damaged.bytes, isComplete: true)
            guard let image = try? decode(damaged, { $0.limits.pixels = 1 << 20 }) else { continue }
            findings.expect(
                image.metadata.storedSize.pixelCount ?? .max <= 1 << 20,
                "A damaged file exceeds the pixel limit.")
        }
    }

    private func checkThreads(_ image: DecodedImage, _ findings: inout Findings) {
        let whole = Samples(image.pixels)
        let equal = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            guard let other = try? decode(), Samples(other.pixels).distance(to: whole) == 0 else { return }
            equal.withLock { $0 += 1 }
        }
        findings.expect(equal.withLock { $0 } == 4, "Decoded on four threads at once, it has other pixels.")
    }
}
