// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

extension CoderConformance {
    /// - Returns: what was encoded, to be decoded in many ways.
    func checkEncoding(_ findings: inout Findings) -> [(name: String, data: Data)] {
        var files: [(name: String, data: Data)] = []
        guard let samples = findings.value("Drawing", { try EncodingSample.all() }) else { return [] }
        for format in coder.encodableFormats.sorted(by: { $0.name < $1.name }) {
            for sample in samples {
                findings.subject = "\(sample.name) as \(format)"
                let checks = EncodingChecks(
                    coder, DecodedImage(pixels: sample.pixels), format, isLossless: isLossless)
                guard let data = checks.run(&findings), coder.decodableFormats.contains(format) else {
                    continue
                }
                files.append((findings.subject, data))
            }
            findings.subject = "\(format)"
            if let animated = coder as? any AnimatedImageCoder, animated.animatedFormats.contains(format) {
                AnimationChecks(animated, format).run(&findings)
            }
        }
        findings.subject = ""
        let unknown = ImageFormat(name: "none", mimeType: "image/none", fileExtensions: [])
        findings.expectError("Encoding as a format of no one", [.unsupportedFormat]) {
            let image = DecodedImage(pixels: try ImageFactory.gradient(2, 2))
            _ = try coder.encode(image, as: unknown, EncodeOptions(), WorkContext())
        }
        return files
    }
}

/// The pictures that are encoded: odd sizes, every pixel format, every meaning of alpha.
private struct EncodingSample {
    let name: String
    let pixels: PixelBuffer

    init(_ name: String, _ pixels: PixelBuffer) {
        self.name = name
        self.pixels = pixels
    }

    static func all() throws -> [EncodingSample] {
        [
            EncodingSample("A gradient", try ImageFactory.gradient(33, 17)),
            EncodingSample("A transparent picture", try ImageFactory.transparency(21, 10)),
            EncodingSample("A checkerboard", try ImageFactory.checker(16, 16, cell: 4)),
            EncodingSample("One pixel", try ImageFactory.solid(1, 1, 200, 100, 50)),
            EncodingSample("A row", try ImageFactory.gradient(40, 1)),
            EncodingSample("A column", try ImageFactory.gradient(1, 40)),
            EncodingSample("A picture in BGRA", try drawn(.bgra8, .straight)),
            EncodingSample("A premultiplied picture", try drawn(.rgba8, .premultiplied)),
            EncodingSample("A picture of 16 bits", try drawn(.rgba16, .straight)),
        ]
    }

    /// The same soft shape in each format.
    private static func drawn(_ format: PixelFormat, _ alphaMode: AlphaMode) throws -> PixelBuffer {
        var pixels = try MutablePixels(width: 20, height: 12, format: format, alphaMode: alphaMode)
        let bytesPerRow = pixels.bytesPerRow
        pixels.withMutableBytes { bytes in
            for y in 0..<12 {
                for x in 0..<20 {
                    let alpha = 255 - x * 10
                    var samples = [x * 12, y * 20, 90, alpha]
                    if alphaMode == .premultiplied {
                        for c in 0..<3 { samples[c] = samples[c] * alpha / 255 }
                    }
                    if format.order == .bgra { samples.swapAt(0, 2) }
                    let start = y * bytesPerRow + x * format.bytesPerPixel
                    for (channel, sample) in samples.enumerated() {
                        if format.bitsPerChannel == 16 {
                            let wide = UInt16(sample) * 257
                            bytes.storeBytes(of: wide, toByteOffset: start + 2 * channel, as: UInt16.self)
                        } else {
                            bytes.storeBytes(of: UInt8(sample), toByteOffset: start + channel, as: UInt8.self)
                        }
                    }
                }
            }
        }
        return pixels.publish()
    }
}

/// What a coder has to do with one picture to encode.
private struct EncodingChecks {
    private let coder: any ImageCoder
    private let image: DecodedImage
    private let format: ImageFormat
    private let isLossless: Bool

    init(_ coder: any ImageCoder, _ image: DecodedImage, _ format: ImageFormat, isLossless: Bool) {
        self.coder = coder
        self.image = image
        self.format = format
        self.isLossless = isLossless
    }

    func run(_ findings: inout Findings) -> Data? {
        guard let data = findings.value("Encoding", { try encode() }) else { return nil }
        findings.expect(!data.isEmpty, "Encoding gives no bytes.")
        findings.expect((try? encode()) == data, "Encoding twice gives two different files.")
        checkOptions(data, &findings)
        guard coder.decodableFormats.contains(format) else { return data }
        findings.expect(coder.format(of: data.bytes) == format, "What was encoded is not recognised.")
        guard let decoded = findings.value("Decoding what was encoded", { try decode(data) }) else {
            return nil
        }
        checkPixels(decoded, &findings)
        return data
    }

    private func encode(_ change: (inout EncodeOptions) -> Void = { _ in }) throws -> Data {
        var options = EncodeOptions()
        change(&options)
        return try coder.encode(image, as: format, options, WorkContext())
    }

    private func decode(_ data: Data) throws -> DecodedImage {
        try coder.decode(data, DecodeOptions(), WorkContext())
    }

    private func checkPixels(_ decoded: DecodedImage, _ findings: inout Findings) {
        findings.expect(
            decoded.size == image.size, "It comes back as \(decoded.size), and was \(image.size).")
        let (before, after) = (Samples(image.pixels), Samples(decoded.pixels))
        if isLossless {
            let allowed = image.pixels.alphaMode == .premultiplied ? 1 : 0
            let distance = before.onWhite.distance(to: after.onWhite)
            findings.expect(
                distance <= allowed,
                "A sample comes back changed by \(distance); the coder is called lossless.")
        } else {
            findings.expect(before.meanDistance(to: after) < 32, "It comes back as another picture.")
        }
    }

    private func checkOptions(_ data: Data, _ findings: inout Findings) {
        let box = PixelSize(width: 7, height: 7)
        if let small = findings.value("Encoding into 7x7", { try encode { $0.maximumSize = box } }),
            coder.decodableFormats.contains(format), let decoded = try? decode(small)
        {
            let size = image.size.fitting(box)
            findings.expect(
                decoded.size == size, "Encoded into 7x7, it is \(decoded.size), and \(size) is asked for.")
        }
        findings.expectError("Encoding into one byte", [.fileSizeLimit]) {
            _ = try encode { $0.maximumByteCount = 1 }
        }
        findings.expect(
            (try? encode { $0.maximumByteCount = ByteCount(data.count) }) == data,
            "A limit that the file keeps to changes the file.")
        let flag = CancellationFlag()
        flag.raise()
        findings.expectError("Encoding what was cancelled", [.cancelled]) {
            _ = try coder.encode(image, as: format, EncodeOptions(), WorkContext(flag: flag))
        }
    }
}
