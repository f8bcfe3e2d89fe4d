// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@Suite struct CachesManagerTests {
    private let key = CacheKey("key")
    private let new = NewEntry(data: Data([1]), metadata: EntryMetadata(storedAt: 0))

    @Test(arguments: [CachesManager.Policy.serial, .concurrent])
    func aHitInALowerCacheIsWrittenBackToTheHigherOnes(_ query: CachesManager.Policy) async throws {
        let low = DictionaryCache(), middle = DictionaryCache(), high = DictionaryCache()
        var policies = CachesManager.Policies()
        policies.query = query
        let caches = CachesManager([low, middle, high], policies: policies)
        try await low.store(new, for: key, in: .disk)
        #expect(try await caches.entry(for: key, in: .all)?.data == Data([1]))
        #expect(middle.storedKeys == [key])
        #expect(high.storedKeys == [key])
    }

    @Test func aFailingCacheIsAMissAsLongAsAnotherHits() async throws {
        let low = DictionaryCache(), high = DictionaryCache()
        try await low.store(new, for: key, in: .disk)
        high.fail(ImageError(.cacheRead, stage: .query, "Broken."))
        let caches = CachesManager([low, high])
        #expect(try await caches.entry(for: key, in: .all) != nil)
        await #expect(throws: ImageError.self) { try await caches.entry(for: CacheKey("other"), in: .all) }
    }

    @Test func policiesChooseWhoIsMeant() async throws {
        let low = DictionaryCache(), high = DictionaryCache()
        var policies = CachesManager.Policies()
        policies.store = .lowestOnly
        policies.clear = .highestOnly
        let caches = CachesManager([low, high], policies: policies)
        try await caches.store(new, for: key, in: .all)
        #expect(low.storedKeys == [key])
        #expect(high.storedKeys.isEmpty)
        try await caches.clear(.all)
        #expect(low.storedKeys == [key])
        try await caches.remove(for: key, in: .all)
        #expect(low.storedKeys.isEmpty)
        #expect(try await caches.contains(key, in: .all).isEmpty)
    }

    @Test func theLastAddedIsAskedFirst() async throws {
        let low = DictionaryCache(), high = DictionaryCache()
        let caches = CachesManager([low])
        caches.add(high)
        let other = NewEntry(data: Data([2]), metadata: EntryMetadata(storedAt: 0))
        try await low.store(new, for: key, in: .disk)
        try await high.store(other, for: key, in: .disk)
        #expect(try await caches.entry(for: key, in: .all)?.data == Data([2]))
    }

    @Test func aCacheThatWasTakenOutIsAskedNoMore() async throws {
        let low = DictionaryCache(), high = DictionaryCache()
        let caches = CachesManager([low, high])
        try await high.store(new, for: key, in: .disk)
        caches.remove(high)
        #expect(caches.caches.count == 1)
        #expect(try await caches.entry(for: key, in: .all) == nil)
        caches.remove(high)
        caches.remove(low)
        // Without a cache everything is a miss, and nothing hangs.
        #expect(try await caches.entry(for: key, in: .all) == nil)
        #expect(try await caches.contains(key, in: .all).isEmpty)
        #expect(caches.memoryEntry(for: key) == nil)
        try await caches.store(new, for: key, in: .all)
        try await caches.remove(for: key, in: .all)
        try await caches.clear(.all)
        try await caches.updateMetadata(new.metadata, for: key)
    }

    @Test(arguments: [CachesManager.Policy.serial, .concurrent, .highestOnly, .lowestOnly])
    func whereAnEntryIsFollowsItsOwnPolicy(_ contains: CachesManager.Policy) async throws {
        let low = DictionaryCache(), high = DictionaryCache()
        var policies = CachesManager.Policies()
        policies.contains = contains
        let caches = CachesManager([low, high], policies: policies)
        try await low.store(new, for: key, in: .disk)
        #expect(try await caches.contains(key, in: .all) == (contains == .highestOnly ? [] : .disk))
        let image = DecodedImage(pixels: try MutablePixels(width: 1, height: 1).publish())
        high.storeInMemory(MemoryEntry(image: image, metadata: new.metadata), for: key)
        // The highest that has it answers alone.
        #expect(try await caches.contains(key, in: .all) == (contains == .lowestOnly ? .disk : .memory))
    }
}
