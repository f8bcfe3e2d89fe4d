// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICache
internal import WICore

/// W5 on disk, by the synchronous calls: stores, verified hits, misses, and opening a large cache.
struct DiskCaching {
    static func run(_ arguments: BenchmarkArguments, _ report: Report) throws {
        let cache = DiskCache(configuration: configuration(try arguments.text("cache")))
        let count = try arguments.number("count", default: 10_000)
        let data = noise(try arguments.number("size", default: 20_480))
        let metadata = EntryMetadata(storedAt: Date.now.timeIntervalSince1970)
        let keys = (0..<count).map(key)
        try timed("disk_write_20k", count, report) {
            for key in keys { try cache.store(data, metadata: metadata, for: key) }
        }
        var random = LinearCongruence(1)
        func read() throws {
            for _ in 0..<count {
                guard try cache.entry(for: keys[random.next(below: count)])?.data.count == data.count else {
                    throw BenchmarkFailure("The disk cache lost an entry.")
                }
            }
        }
        try read()
        try timed("disk_read_20k", count, report, read)
        let others = (count..<2 * count).map(key)
        try timed("disk_miss", count, report) { for key in others { _ = try cache.entry(for: key) } }
    }

    /// Microseconds by the clock, and of the processor, which a busy machine disturbs less.
    private static func timed(
        _ name: String, _ count: Int, _ report: Report, _ body: () throws -> Void
    ) throws {
        let before = processorSeconds()
        let elapsed = try seconds(body)
        let processor = processorSeconds() - before
        report.emit(name, "us", [1e6 * elapsed / Double(count)])
        report.emit(name, "cpu_us", [1e6 * processor / Double(count)])
    }

    /// Opens a cache of many entries, made on the first run and kept, and stores one more into it.
    static func open(_ arguments: BenchmarkArguments, _ report: Report) throws {
        let configuration = configuration(try arguments.text("cache"))
        let count = try arguments.number("count", default: 100_000)
        let data = noise(1024)
        let metadata = EntryMetadata(storedAt: Date.now.timeIntervalSince1970)
        let last = key(count - 1)
        if try DiskCache(configuration: configuration).entry(for: last) == nil {
            let cache = DiskCache(configuration: configuration)
            for index in 0..<count { try cache.store(data, metadata: metadata, for: key(index)) }
        }
        var opened: [Double] = []
        var stored: [Double] = []
        for _ in 0..<(try arguments.number("reps", default: 7)) {
            var cache: DiskCache?
            opened.append(
                1000
                    * (try seconds {
                        cache = DiskCache(configuration: configuration)
                        _ = try cache?.entry(for: last)
                    }))
            stored.append(1000 * (try seconds { try cache?.store(data, metadata: metadata, for: last) }))
        }
        report.emit("scan_100k", "ms", opened)
        report.emit("store_into_100k", "ms", stored)
        try storeIntoFull(configuration, count, report)
    }

    /// Stores into a cache that is full, so that each has others to evict; the worst of them as well.
    private static func storeIntoFull(
        _ configuration: DiskCacheConfiguration, _ count: Int, _ report: Report
    ) throws {
        var configuration = configuration
        configuration.countLimit = max(1, DiskCache(configuration: configuration).totalSize.count)
        let cache = DiskCache(configuration: configuration)
        let data = noise(1024)
        let metadata = EntryMetadata(storedAt: Date.now.timeIntervalSince1970)
        let samples = try (0..<2000).map { index in
            1e6 * (try seconds { try cache.store(data, metadata: metadata, for: key(count + index)) })
        }
        report.emit("store_into_full_100k", "us", samples)
        report.emit("store_into_full_100k", "worst_us", [samples.max() ?? 0])
        report.emit("store_into_full_100k", "rss_mb", [peakMemory() ?? 0])
    }

    private static func configuration(_ folder: String) -> DiskCacheConfiguration {
        var configuration = DiskCacheConfiguration(root: folder)
        configuration.namespace = "benchmark"
        configuration.byteLimit = .unlimited
        // The floor has one thread, for which the system's calls are cheaper than for one of two.
        configuration.sweepsInBackground = false
        return configuration
    }

    private static func key(_ index: Int) -> CacheKey { CacheKey("https://img.test/photos/\(index).jpg") }

    private static func noise(_ count: Int) -> Data {
        var random = LinearCongruence(7)
        return Data((0..<count).map { _ in UInt8(random.next(below: 256)) })
    }
}
