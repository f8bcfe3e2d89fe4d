// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WICache

@Suite struct MemoryCacheTests {
    private func entry(_ width: Int = 10) throws -> MemoryEntry {
        let pixels = try MutablePixels(width: width, height: 10).publish()
        return MemoryEntry(image: DecodedImage(pixels: pixels), metadata: EntryMetadata(storedAt: 0))
    }
    private func key(_ number: Int) -> CacheKey { CacheKey("\(number)") }

    @Test func theLeastRecentlyUsedGoFirst() throws {
        let cache = MemoryCache(limits: .init(cost: ByteCount(400 * 3), largestShare: 1))
        for number in 0..<3 { cache.store(try entry(), for: key(number)) }
        #expect(cache.entry(for: key(0)) != nil)
        cache.store(try entry(), for: key(3))
        #expect(cache.contains(key(0)))
        #expect(!cache.contains(key(1)))
        #expect(cache.statistics == .init(count: 3, cost: 1200, hits: 1, misses: 0, evictions: 1))
    }

    @Test func limitsHoldByCountAndWhenLowered() throws {
        let cache = MemoryCache(limits: .init(cost: .mebibytes(1), count: 5))
        for number in 0..<20 { cache.store(try entry(), for: key(number)) }
        #expect(cache.statistics.count == 5)
        cache.limits = .init(cost: 800)
        #expect(cache.statistics.count == 2)
        #expect(cache.contains(key(19)))
        cache.trim(to: .zero)
        #expect(cache.statistics.count == 0)
        #expect(cache.statistics.cost == .zero)
    }

    @Test func aPictureThatWouldPushOutEverythingIsNotKept() throws {
        let cache = MemoryCache(limits: .init(cost: 1000))
        cache.store(try entry(), for: key(1))
        cache.store(try entry(20), for: key(2))
        #expect(cache.contains(key(1)))
        #expect(!cache.contains(key(2)))
        // An old picture is not left in place of a new one that is too large.
        cache.store(try entry(20), for: key(1))
        #expect(!cache.contains(key(1)))
    }

    @Test func replacingKeepsTheCostRight() throws {
        let cache = MemoryCache(limits: .init(cost: .mebibytes(1)))
        for width in [10, 20, 5] { cache.store(try entry(width), for: key(1)) }
        #expect(cache.statistics.cost == 200)
        cache.remove(key(1))
        #expect(cache.statistics.cost == .zero)
        #expect(cache.entry(for: key(1)) == nil)
    }

    @Test func newMetadataAreNoUse() throws {
        let cache = MemoryCache(limits: .init(cost: .mebibytes(1), count: 2))
        for number in 0..<2 { cache.store(try entry(), for: key(number)) }
        cache.updateMetadata(EntryMetadata(storedAt: 7), for: key(0))
        cache.updateMetadata(EntryMetadata(storedAt: 7), for: key(9))
        #expect(cache.statistics == .init(count: 2, cost: 800))
        cache.store(try entry(), for: key(2))
        #expect(!cache.contains(key(0)))
        cache.updateMetadata(EntryMetadata(storedAt: 8), for: key(1))
        #expect(cache.entry(for: key(1))?.metadata.storedAt == 8)
    }

    @Test func aLongRandomRunAgreesWithASimpleModel() throws {
        var random = SystemRandomNumberGenerator()
        let cache = MemoryCache(limits: .init(cost: .mebibytes(1), count: 8))
        var model: [Int] = []
        let shared = try entry()
        for _ in 0..<5000 {
            let number = Int.random(in: 0..<16, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                cache.store(shared, for: key(number))
                model.removeAll { $0 == number }
                model.insert(number, at: 0)
                if model.count > 8 { model.removeLast() }
            case 1:
                #expect((cache.entry(for: key(number)) != nil) == model.contains(number))
                if model.contains(number) {
                    model.removeAll { $0 == number }
                    model.insert(number, at: 0)
                }
            default:
                cache.remove(key(number))
                model.removeAll { $0 == number }
            }
            #expect(cache.statistics.count == model.count)
        }
    }
}
