// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WITransformers

/// W3: raw RGBA becomes 1,024 pixels wide.
struct Resampling {
    static func run(_ arguments: BenchmarkArguments, _ report: Report) throws {
        guard let kernel = ResamplingKernel(rawValue: arguments.name) else {
            throw BenchmarkFailure("W3 has no case \(arguments.name).")
        }
        let pixels = try picture(arguments)
        let width = 1024
        let height = Int((Double(pixels.height) * Double(width) / Double(pixels.width)).rounded())
        let transformer = ResizeTransformer(
            PixelSize(width: width, height: height), fit: .fill, kernel: kernel)
        var samples: [Double] = []
        for _ in 0..<(try arguments.number("reps", default: 7)) {
            samples.append(1000 * (try seconds { _ = try transformer.transform(pixels, WorkContext()) }))
        }
        report.emit(
            arguments.name, "ms", samples, variant: pixels.alphaMode == .opaque ? "" : "-\(pixels.alphaMode)")
    }

    /// The raw file as an opaque picture; with `--alpha=straight`, half of it is made half transparent.
    private static func picture(_ arguments: BenchmarkArguments) throws -> PixelBuffer {
        let path = try arguments.text("input")
        let data = try Data(contentsOf: URL(filePath: path))
        let isStraight = (try? arguments.text("alpha")) == "straight"
        var pixels = try MutablePixels(
            width: try arguments.number("width", default: 0),
            height: try arguments.number("height", default: 0),
            alphaMode: isStraight ? .straight : .opaque)
        try pixels.withMutableBytes { bytes in
            guard bytes.byteCount == data.count else {
                throw BenchmarkFailure("\(path) has \(data.count) bytes; its size needs \(bytes.byteCount).")
            }
            bytes.withUnsafeMutableBytes { target in
                data.withUnsafeBytes { target.copyBytes(from: $0) }
                guard isStraight else { return }
                for alpha in stride(from: 3, to: target.count / 2, by: 4) { target[alpha] = 128 }
            }
        }
        return pixels.publish()
    }
}
