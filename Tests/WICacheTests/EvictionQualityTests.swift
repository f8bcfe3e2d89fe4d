// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WICache

/// Remembers the last so many numbers: what an exact least-recently-used cache would have.
private struct ExactCache {
    private var uses: [Int: Int] = [:]
    private var order: [Int: Int] = [:]
    private var oldest = 0
    private var clock = 0
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    mutating func use(_ number: Int) -> Bool {
        let before = uses[number]
        if let before { order[before] = nil }
        clock += 1
        uses[number] = clock
        order[clock] = number
        while uses.count > capacity {
            oldest += 1
            if let gone = order.removeValue(forKey: oldest) { uses[gone] = nil }
        }
        return before != nil
    }
}

/// Numbers as people ask for pictures: the k-th most popular comes in proportion to 1 / k^s.
private struct Zipf {
    private var sums: [Double] = []

    init(count: Int, exponent: Double) {
        var sum = 0.0
        for rank in 1...count {
            var weight = 1.0
            // x^0.75 without a library of functions: two square roots.
            let root = Double(rank).squareRoot()
            weight = exponent == 1 ? Double(rank) : root * root.squareRoot()
            sum += 1 / weight
            sums.append(sum)
        }
    }

    func next(using random: inout SeededGenerator) -> Int {
        let wanted = Double.random(in: 0..<(sums.last ?? 1), using: &random)
        var low = 0, high = sums.count - 1
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

@Suite struct EvictionQualityTests {
    private let metadata = EntryMetadata(storedAt: 5)

    private func cache(_ files: SimulatedFileSystem, _ limit: Int) -> DiskCache {
        var configuration = DiskCacheConfiguration(root: "/nowhere/that/exists")
        configuration.fileSystem = files
        configuration.countLimit = limit
        configuration.ageLimit = nil
        configuration.sweepsInBackground = false
        configuration.time = TimeSource(secondsSince1970: { files.now }, monotonic: { .zero })
        let random = Locked(SeededGenerator(seed: 11))
        configuration.random = { limit in random.withLock { Int.random(in: 0..<limit, using: &$0) } }
        return DiskCache(configuration: configuration)
    }

    @Test(arguments: [0.75, 1.0])
    func sampledEvictionHitsAlmostAsOftenAsAnExactOne(_ exponent: Double) throws {
        let files = SimulatedFileSystem()
        let cache = cache(files, 1000)
        var exact = ExactCache(capacity: 1000)
        let zipf = Zipf(count: 10_000, exponent: exponent)
        var random = SeededGenerator(seed: 3)
        var hits = (ours: 0, exact: 0)
        let count = 30_000
        for _ in 0..<count {
            files.now += 1
            let number = zipf.next(using: &random)
            let key = CacheKey("https://host/\(number).jpg")
            if exact.use(number) { hits.exact += 1 }
            if try cache.entry(for: key) != nil {
                hits.ours += 1
            } else {
                try cache.store(Data([1]), metadata: metadata, for: key)
            }
        }
        let rates = (ours: Double(hits.ours) / Double(count), exact: Double(hits.exact) / Double(count))
        #expect(rates.exact > 0.2 && rates.exact < 0.9)
        #expect(rates.ours > rates.exact - 0.05, "\(rates)")
    }

    @Test func fiftyTimesTheLimitIsStoredAndTheLimitHoldsAtEveryMoment() throws {
        let files = SimulatedFileSystem()
        var configuration = cache(files, .max).configuration
        configuration.byteLimit = .kibibytes(200)
        let cache = DiskCache(configuration: configuration)
        let data = Data(repeating: 1, count: 2000)
        var looks: [Int] = []
        for number in 0..<5000 {
            files.now += 1
            let before = files.looks
            try cache.store(data, metadata: metadata, for: CacheKey("https://host/\(number).jpg"))
            looks.append(files.looks - before)
            #expect(files.bytes <= 200 << 10)
        }
        // A store late in the process's life looks at no more files than one soon after the cache was full.
        let early = looks[200..<600].reduce(0, +), late = looks[4600...].reduce(0, +)
        #expect(late <= early * 3 / 2)
        #expect(cache.totalSize.bytes == ByteCount(files.bytes))
    }
}
