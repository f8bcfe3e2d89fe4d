// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Synchronization
internal import WICache
internal import WICore

/// W5 in memory: hits on 1,000 entries by one thread, by two and by eight, and stores into a cache that is full.
struct MemoryCaching {
    private static let entries = 1000
    private static let hits = 400_000
    private static let stores = 200_000

    static func run(_ arguments: BenchmarkArguments, _ report: Report) throws {
        let reps = try arguments.number("reps", default: 7)
        let cache = MemoryCache(limits: MemoryCache.Limits(cost: .unlimited, count: entries))
        let entry = MemoryEntry(
            image: DecodedImage(pixels: try MutablePixels(width: 1, height: 1).publish()),
            metadata: EntryMetadata(storedAt: 0))
        let keys = (0..<entries).map { CacheKey(url($0)) }
        for key in keys { cache.store(entry, for: key) }
        for threads in [1, 2, 8] where arguments.wants("mem_hit_\(threads)t") {
            let samples = try (0..<reps).map { _ in try hit(cache, keys, threads) }
            report.emit("mem_hit_\(threads)t", "ns", samples)
        }
        if arguments.wants("mem_hit_1t") {
            let texts = (0..<entries).map(url)
            let samples = try (0..<reps).map { _ in try hit(cache, texts) }
            report.emit("mem_hit_1t", "ns", samples, variant: " (key made anew)")
        }
        if arguments.wants("mem_put_evict") {
            let fresh = (0..<stores).map { CacheKey(url(10_000 + $0)) }
            let samples = (0..<reps).map { _ in
                1e9
                    * seconds {
                        // An entry for each, as pictures have.
                        for key in fresh {
                            cache.store(MemoryEntry(image: entry.image, metadata: entry.metadata), for: key)
                        }
                    } / Double(stores)
            }
            report.emit("mem_put_evict", "ns", samples)
        }
    }

    private static let lost = BenchmarkFailure("The memory cache lost an entry.")

    private static func url(_ index: Int) -> String {
        let digits = String(index)
        let number = String(repeating: "0", count: 10 - digits.count) + digits
        return "https://img.test/gallery/photos/2026/large/\(number)/variant-w300-h300-fill.jpg?v=1"
    }

    /// Nanoseconds a hit, in any order.
    private static func hit(_ cache: MemoryCache, _ keys: [CacheKey], _ threads: Int) throws -> Double {
        let found = Atomic(0)
        let elapsed = seconds {
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                var random = LinearCongruence(12345 + UInt32(thread))
                var count = 0
                for _ in 0..<hits where cache.entry(for: keys[random.next(below: keys.count)]) != nil {
                    count += 1
                }
                found.wrappingAdd(count, ordering: .relaxed)
            }
        }
        guard found.load(ordering: .relaxed) == hits * threads else { throw lost }
        return 1e9 * elapsed / Double(hits * threads)
    }

    /// The same with the key made of the URL for each hit.
    private static func hit(_ cache: MemoryCache, _ texts: [String]) throws -> Double {
        var random = LinearCongruence(12345)
        var count = 0
        let elapsed = seconds {
            for _ in 0..<hits where cache.entry(for: CacheKey(texts[random.next(below: texts.count)])) != nil
            {
                count += 1
            }
        }
        guard count == hits else { throw lost }
        return 1e9 * elapsed / Double(hits)
    }
}

/// The generator of Numerical Recipes: cheap, and the same in every run.
struct LinearCongruence {
    private var state: UInt32

    init(_ seed: UInt32) { state = seed }

    mutating func next(below limit: Int) -> Int {
        state = state &* 1_664_525 &+ 1_013_904_223
        return Int(state >> 8) % limit
    }
}
