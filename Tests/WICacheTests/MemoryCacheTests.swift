// SPDX-License-Identifier: MIT
import Testing
import WICore
import WITestKit

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
        cache.limits.findsPicturesInUse = false
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

    @Test func aPictureIsNotKeptBeyondItsTimeHoweverOftenItIsUsed() throws {
        let clock = ManualClock()
        let cache = MemoryCache(
            limits: .init(cost: .mebibytes(1), timeToLive: .seconds(60)),
            time: TimeSource(secondsSince1970: { 0 }, monotonic: { clock.now.offset }),
            yieldsUnderPressure: false)
        let held = try entry()
        cache.store(held, for: key(1))
        clock.advance(by: .seconds(59))
        #expect(cache.entry(for: key(1)) != nil)
        cache.store(try entry(), for: key(2))
        clock.advance(by: .seconds(1))
        #expect(cache.entry(for: key(1)) == nil)
        #expect(cache.statistics.count == 1)
        #expect(cache.entry(for: key(2)) != nil)
        clock.advance(by: .seconds(59))
        cache.removeExpired()
        #expect(cache.statistics == .init(count: 0, hits: 2, misses: 1))
        _ = held
    }

    @Test func aPictureThatIsHeldElsewhereIsFoundAgainAfterItHadToGo() throws {
        let cache = MemoryCache(limits: .init(cost: ByteCount(800), largestShare: 1))
        let metadata = EntryMetadata(storedAt: 7)
        // Neither the entry nor the picture is held, only the pixels, as by what shows them.
        let held = try MutablePixels(width: 10, height: 10).publish()
        cache.store(MemoryEntry(image: DecodedImage(pixels: held), metadata: metadata), for: key(0))
        for number in 1..<10 { cache.store(try entry(), for: key(number)) }
        #expect(!cache.contains(key(0)))
        #expect(cache.entry(for: key(1)) == nil)
        let found = try #require(cache.entry(for: key(0)))
        #expect(found.metadata == metadata)
        #expect(found.image.pixels.withBytes { $0.byteCount } == 400)
        #expect(cache.contains(key(0)))
        #expect(cache.statistics.cost == 800)
        withExtendedLifetime(held) {}
    }

    @Test func whatWasRemovedOrReplacedDoesNotComeBack() throws {
        let cache = MemoryCache(limits: .init(cost: ByteCount(400), largestShare: 1))
        let held = try (0..<4).map { _ in try entry() }
        for number in 0..<4 { cache.store(held[number], for: key(number)) }
        cache.remove(key(0))
        #expect(cache.entry(for: key(0)) == nil)
        cache.removeAll { $0 == key(1) }
        #expect(cache.entry(for: key(1)) == nil)
        // What a server said since is not forgotten: the old metadata do not come back.
        cache.updateMetadata(EntryMetadata(storedAt: 9), for: key(2))
        #expect(cache.entry(for: key(2)) == nil)
        cache.removeAll()
        #expect(cache.entry(for: key(3)) == nil)
        cache.limits.findsPicturesInUse = false
        for number in 0..<4 { cache.store(held[number], for: key(number)) }
        #expect(cache.entry(for: key(0)) == nil)
    }

    @Test func whatIsRememberedOfEvictedPicturesIsBounded() throws {
        var evicted = EvictedPictures()
        for number in 0..<1000 {
            evicted.add(.init(key: key(number), entry: try entry(), storedAt: .zero))
        }
        #expect(evicted.count <= 64)
        let held = try entry()
        for number in 0..<2 * EvictedPictures.capacity {
            evicted.add(.init(key: key(number), entry: held, storedAt: .zero))
        }
        #expect(evicted.count == EvictedPictures.capacity)
    }

    @Test func aTableFullOfPicturesThatDiedHasRoomAgain() throws {
        var evicted = EvictedPictures()
        var living = try (0..<EvictedPictures.capacity).map { _ in try entry() }
        for (number, entry) in living.enumerated() {
            evicted.add(.init(key: key(number), entry: entry, storedAt: .zero))
        }
        living = []
        for number in 0..<EvictedPictures.capacity {
            evicted.add(.init(key: key(10_000 + number), entry: try entry(), storedAt: .zero))
        }
        let held = try entry()
        evicted.add(.init(key: key(-1), entry: held, storedAt: .zero))
        #expect(evicted.take(key(-1)) != nil)
    }

    @Test func underPressureTheHalfUsedLongestAgoGoesAndAllWhereItIsCritical() throws {
        let cache = MemoryCache(limits: .init(cost: .mebibytes(1)), yieldsUnderPressure: false)
        for number in 0..<10 { cache.store(try entry(), for: key(number)) }
        _ = cache.entry(for: key(0))
        cache.relieve(.moderate)
        #expect(cache.statistics.count == 5)
        #expect(cache.contains(key(0)))
        #expect(!cache.contains(key(1)))
        cache.relieve(.critical)
        #expect(cache.statistics.count == 0)
        #expect(cache.limits.cost == .mebibytes(1))
    }

    @Test func keysArePickedForRemoval() throws {
        let cache = MemoryCache(limits: .init(cost: .mebibytes(1)))
        for number in 0..<10 { cache.store(try entry(), for: key(number)) }
        #expect(cache.removeAll { (Int($0.base) ?? 0) % 2 == 0 } == 5)
        #expect(cache.statistics.count == 5)
        #expect(!cache.contains(key(0)))
        #expect(cache.contains(key(1)))
    }
}
