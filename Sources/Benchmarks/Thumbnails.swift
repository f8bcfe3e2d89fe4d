// SPDX-License-Identifier: MIT
internal import Dispatch
internal import FoundationEssentials
internal import Synchronization
internal import WICoders
internal import WICore

/// W2: JPEG files become JPEG thumbnails that fit 256 × 256, at quality 80.
struct Thumbnails {
    static func run(_ arguments: BenchmarkArguments, _ report: Report) throws {
        let threads = try arguments.number("threads", default: 1)
        let out = try arguments.text("out")
        let files = arguments.files
        guard !files.isEmpty else { throw BenchmarkFailure("W2 needs files.") }
        let next = Atomic(0)
        let failures = Mutex<[String]>([])
        let processor = processorSeconds()
        let elapsed = seconds {
            DispatchQueue.concurrentPerform(iterations: threads) { _ in
                while true {
                    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard index < files.count else { return }
                    do {
                        try makeThumbnail(files[index], out + "/ours_\(index).jpg")
                    } catch {
                        failures.withLock { $0.append("\(files[index]): \(error)") }
                    }
                }
            }
        }
        if let failure = failures.withLock({ $0.first }) { throw BenchmarkFailure(failure) }
        let count = Double(files.count)
        report.emit(arguments.name, "ms_per_image", [1000 * elapsed / count])
        report.emit(arguments.name, "cpu_ms_per_image", [1000 * (processorSeconds() - processor) / count])
        report.emit(arguments.name, "images_per_s", [count / elapsed])
        if let peak = peakMemory() { report.emit(arguments.name, "rss_mb", [peak]) }
    }

    private static func makeThumbnail(_ input: String, _ output: String) throws {
        let coder = JPEGCoder()
        var decoding = DecodeOptions()
        decoding.thumbnailSize = PixelSize(width: 256, height: 256)
        var encoding = EncodeOptions()
        encoding.quality = 80
        let data = try Data(contentsOf: URL(filePath: input), options: .mappedIfSafe)
        let thumbnail = try coder.decode(data, decoding, WorkContext())
        try coder.encode(thumbnail, as: .jpeg, encoding, WorkContext()).write(to: URL(filePath: output))
    }
}
