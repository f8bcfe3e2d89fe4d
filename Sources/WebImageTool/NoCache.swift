// SPDX-License-Identifier: MIT
internal import WICore

/// A cache that keeps nothing, for `--no-cache`: no folder is touched.
struct NoCache: ImageCaching {
    func memoryEntry(for key: CacheKey) -> MemoryEntry? { nil }
    func storeInMemory(_ entry: MemoryEntry, for key: CacheKey) {}
    func entry(for key: CacheKey, in levels: CacheLevels) async throws -> StoredEntry? { nil }
    func store(_ entry: NewEntry, for key: CacheKey, in levels: CacheLevels) async throws {}
    func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws {}
    func remove(for key: CacheKey, in levels: CacheLevels) async throws {}
    func contains(_ key: CacheKey, in levels: CacheLevels) async throws -> CacheLevels { [] }
    func clear(_ levels: CacheLevels) async throws {}
}
