// SPDX-License-Identifier: MIT
internal import Dispatch
internal import FoundationEssentials
internal import WICore
internal import WILoaderCurl

/// W4: a list of paths from a server on loopback, each body whole in memory, so many at a time.
struct Downloading: Sendable {
    private let base: String
    private let paths: [String]
    private let width: Int
    private let loader: CurlLoader

    static func run(_ arguments: BenchmarkArguments, _ report: Report) throws {
        let list = try Data(contentsOf: URL(filePath: try arguments.text("list")))
        let paths = String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init)
        let rounds = try arguments.number("rounds", default: 1)
        for width in try arguments.numbers("widths", default: [6, 16, 64]) {
            let downloading = Downloading(base: try arguments.text("base"), paths: paths, width: width)
            // The library that the floor is linked with is opened here.
            _ = paths.first.map { path in Self.waitFor { await downloading.fetch(path) } }
            for round in 0..<rounds {
                try downloading.measure(
                    arguments.name, report, rounds == 1 ? "-\(width)" : "-\(width) round \(round)")
            }
            downloading.end()
        }
    }

    private init(base: String, paths: [String], width: Int) {
        self.base = base
        self.paths = paths
        self.width = width
        var configuration = CurlLoaderConfiguration()
        configuration.maximumTransfers = width
        configuration.maximumTransfersPerHost = width
        configuration.proxy = .none
        loader = CurlLoader(configuration: configuration)
    }

    private func measure(_ name: String, _ report: Report, _ variant: String) throws {
        let (wall, processor) = (ContinuousClock.now, processorSeconds())
        let bytes = Self.waitFor { await fetchAll() } ?? nil
        let time = (ContinuousClock.now - wall) / .seconds(1)
        guard let bytes else { throw BenchmarkFailure("A transfer failed.") }
        let count = Double(paths.count)
        report.emit(name, "us_per_req", [time * 1e6 / count], variant: variant)
        report.emit(name, "req_per_s", [count / time], variant: variant)
        report.emit(name, "mb_per_s", [Double(bytes) / time / 1e6], variant: variant)
        report.emit(
            name, "cpu_us_per_req", [(processorSeconds() - processor) * 1e6 / count], variant: variant)
        if let memory = peakMemory() { report.emit(name, "rss_mb", [memory], variant: variant) }
    }

    private func end() { _ = Self.waitFor { await loader.shutdown() } }

    /// The bytes of all bodies; nil when one could not be had.
    private func fetchAll() async -> Int? {
        let next = Counter()
        return await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<width {
                group.addTask {
                    var bytes = 0
                    while let path = next.take(from: paths) {
                        guard let count = await fetch(path) else { return nil }
                        bytes += count
                    }
                    return bytes
                }
            }
            return await group.reduce(0) { sum, count in count.flatMap { count in sum.map { $0 + count } } }
        }
    }

    private func fetch(_ path: String) async -> Int? {
        guard let url = URL(string: base + path) else { return nil }
        let request = LoadRequest(url: url, allowsInvalidCertificates: true)
        let sink = BodySink()
        guard (try? await loader.load(request, into: sink)) != nil else { return nil }
        return try? sink.finish().count
    }

    private static func waitFor<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Result? {
        let done = DispatchSemaphore(value: 0)
        let result = Box<Result>()
        Task.detached {
            let value = await work()
            result.value.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        return result.value.withLock { $0 }
    }

    private final class Counter: Sendable {
        private let index = Locked(0)

        func take(from paths: [String]) -> String? {
            let index = index.withLock { index in
                defer { index += 1 }
                return index
            }
            return index < paths.count ? paths[index] : nil
        }
    }

    private final class Box<Value: Sendable>: Sendable {
        let value = Locked<Value?>(nil)
    }
}
