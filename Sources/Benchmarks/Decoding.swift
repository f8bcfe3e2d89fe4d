// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICoders
internal import WICore

/// W1: a whole file in memory becomes pixels in memory, in a new buffer each time.
struct Decoding {
    static func run(_ arguments: BenchmarkArguments, _ report: Report) throws {
        let path = try arguments.text("input")
        let data = try Data(contentsOf: URL(filePath: path))
        guard let format = ImageFormat.detect(data.bytes), let coder = coder(for: format) else {
            throw BenchmarkFailure("\(path) is of no format that is decoded here.")
        }
        var samples: [Double] = []
        for _ in 0..<(try arguments.number("reps", default: 7)) {
            samples.append(
                1000 * (try seconds { _ = try coder.decode(data, DecodeOptions(), WorkContext()) }))
        }
        report.emit(arguments.name, "ms", samples)
    }

    private static func coder(for format: ImageFormat) -> (any ImageCoder)? {
        let coders: [any ImageCoder] = [JPEGCoder(), PNGCoder(), WebPCoder(), GIFCoder()]
        return coders.first { $0.decodableFormats.contains(format) }
    }
}
