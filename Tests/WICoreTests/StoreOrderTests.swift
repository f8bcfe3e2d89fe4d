// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

/// A cache whose first store takes as long as the test likes, while all others take no time.
private final class SlowFirstStore: ImageCaching {
    let base = DictionaryCache()
    let gate = Gate()
    private let count = Locked(0)

    func store(_ entry: NewEntry, for key: CacheKey, in levels: CacheLevels) async throws {
        let isFirst = count.withLock { count in
            count += 1
            return count == 1
        }
        if isFirst { await gate.pass() }
        try await base.store(entry, for: key, in: levels)
    }
    func memoryEntry(for key: CacheKey) -> MemoryEntry? { base.memoryEntry(for: key) }
    func storeInMemory(_ entry: MemoryEntry, for key: CacheKey) { base.storeInMemory(entry, for: key) }
    func entry(for key: CacheKey, in levels: CacheLevels) async throws -> StoredEntry? {
        try await base.entry(for: key, in: levels)
    }
    func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws {
        try await base.updateMetadata(metadata, for: key)
    }
    func remove(for key: CacheKey, in levels: CacheLevels) async throws {
        try await base.remove(for: key, in: levels)
    }
    func contains(_ key: CacheKey, in levels: CacheLevels) async throws -> CacheLevels {
        try await base.contains(key, in: levels)
    }
    func clear(_ levels: CacheLevels) async throws { try await base.clear(levels) }
}

@Suite(.timeLimit(.minutes(5))) struct StoreOrderTests {
    @Test func whatWasLoadedLaterIsWhatTheCacheHasInTheEnd() async throws {
        let cache = SlowFirstStore(), loader = GatedLoader(), other = GatedLoader()
        let manager = ImageManager(cache: cache, loader: loader, coder: ToyCoder())
        let url = "http://host/a.toy"
        let older = ToyCoder.file(), newer = ToyCoder.file(width: 2, height: 2)
        loader.answer(url, .bytes(older))
        other.answer(url, .bytes(newer))
        _ = try await manager.image(for: ImageRequest(url))
        await cache.gate.waitForArrivals(1)
        // Another loader's load is not shared with the first, whose bytes are at hand as long as they are not stored.
        let again = ImageRequest(url, options: .fromLoaderOnly, context: [.set(.imageLoader, other)])
        #expect(try await manager.image(for: again).image.size == PixelSize(width: 2, height: 2))
        // Time for the second store to overtake the first, if it may.
        for _ in 0..<20 { await Task.yield() }
        cache.gate.open()
        await manager.drain()
        #expect(try await cache.entry(for: again.key, in: .all)?.data == newer)
    }
}
