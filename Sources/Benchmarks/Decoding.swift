// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICoders
internal import WICore

/// W1: a whole file in memory becomes pixels in memory, in a new buffer each time; an animation, each of its frames.
struct Decoding {
    static func run(_ arguments: BenchmarkArguments, _ report: Report) throws {
        let path = try arguments.text("input")
        let data = try Data(contentsOf: URL(filePath: path))
        guard let format = ImageFormat.detect(data.bytes), let coder = coder(for: format) else {
            throw BenchmarkFailure("\(path) is of no format that is decoded here.")
        }
        var samples: [Double] = []
        for _ in 0..<(try arguments.number("reps", default: 7)) {
            samples.append(1000 * (try seconds { try decode(data, coder) }))
        }
        report.emit(arguments.name, "ms", samples)
    }

    private static func decode(_ data: Data, _ coder: any ImageCoder) throws {
        guard
            let source = try (coder as? any AnimatedImageCoder)?.frameSource(data, DecodeOptions())
        else {
            _ = try coder.decode(data, DecodeOptions(), WorkContext())
            return
        }
        let reader = try source.makeReader()
        for index in source.frames.indices { _ = try reader.frame(at: index, WorkContext()) }
    }

    private static func coder(for format: ImageFormat) -> (any ImageCoder)? {
        let coders: [any ImageCoder] = [JPEGCoder(), PNGCoder(), WebPCoder(), GIFCoder()]
        return coders.first { $0.decodableFormats.contains(format) }
    }
}
