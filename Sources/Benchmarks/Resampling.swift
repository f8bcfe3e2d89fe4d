// SPDX-License-Identifier: MIT
internal import Dispatch
internal import FoundationEssentials
internal import WICore
internal import WITransformers

/// W3: raw RGBA becomes 1,024 pixels wide, or is blurred; on one thread, and with `--threads=N` on a pool.
struct Resampling {
    static func run(_ arguments: BenchmarkArguments, _ report: Report) throws {
        let pixels = try picture(arguments)
        let transformer = try transformer(arguments.name, pixels)
        let alpha = pixels.alphaMode == .opaque ? "" : "-\(pixels.alphaMode)"
        let threads = try arguments.number("threads", default: 1)
        var samples: [Double] = []
        for _ in 0..<(try arguments.number("reps", default: 7)) {
            samples.append(
                threads == 1
                    ? 1000 * (try seconds { _ = try transformer.transform(pixels, WorkContext()) })
                    : try pooled(transformer, pixels, threads))
        }
        report.emit(arguments.name, "ms", samples, variant: alpha + (threads == 1 ? "" : "-\(threads)t"))
        if let peak = peakMemory() { report.emit(arguments.name, "rss_mb", [peak], variant: alpha) }
    }

    private static func transformer(_ name: String, _ pixels: PixelBuffer) throws -> any Transformer {
        if name == "blur10" { return BlurTransformer(sigma: 10) }
        guard let kernel = ResamplingKernel(rawValue: name) else {
            throw BenchmarkFailure("W3 has no case \(name).")
        }
        return ResizeTransformer(.width(1024), kernel: kernel)
    }

    /// Milliseconds inside the pool's job: what it costs to get there is not the transformer's.
    private static func pooled(
        _ transformer: any Transformer, _ pixels: PixelBuffer, _ threads: Int
    ) throws -> Double {
        let time = Locked<Result<Double, any Error>?>(nil)
        let end = DispatchSemaphore(value: 0)
        WorkPool(threads: threads).submit(.normal, cost: .zero) { work in
            let start = ContinuousClock.now
            let result = Result { _ = try transformer.transform(pixels, work) }
            let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
            time.withLock { $0 = result.map { milliseconds } }
            end.signal()
        }
        end.wait()
        return try time.withLock { $0 ?? .failure(BenchmarkFailure("The work was never done.")) }.get()
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
