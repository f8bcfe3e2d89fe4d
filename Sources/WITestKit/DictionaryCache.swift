// SPDX-License-Identifier: MIT
package import WICore

/// A cache in two dictionaries that counts what it is asked and fails when told to.
package final class DictionaryCache: ImageCaching {
    package struct Counts: Equatable, Sendable {
        package var queries = 0
        package var stores = 0
    }

    private struct State: Sendable {
        var memory: [CacheKey: MemoryEntry] = [:]
        var disk: [CacheKey: StoredEntry] = [:]
        var counts = Counts()
        var failure: ImageError?
    }
    private let state = Locked(State())
    /// Holds every store back until the test opens it.
    package let storeGate: Gate?

    package init(storeGate: Gate? = nil) { self.storeGate = storeGate }

    package var counts: Counts { state.withLock { $0.counts } }
    package var storedKeys: Set<CacheKey> { state.withLock { Set($0.disk.keys) } }
    /// What every async call throws from now on; nil for nothing.
    package func fail(_ error: ImageError?) { state.withLock { $0.failure = error } }
    package func clearMemory() { state.withLock { $0.memory = [:] } }

    package func memoryEntry(for key: CacheKey) -> MemoryEntry? { state.withLock { $0.memory[key] } }
    package func storeInMemory(_ entry: MemoryEntry, for key: CacheKey) {
        state.withLock { $0.memory[key] = entry }
    }

    package func entry(for key: CacheKey, in levels: CacheLevels) async throws -> StoredEntry? {
        try state.withLock { state throws(ImageError) -> StoredEntry? in
            state.counts.queries += 1
            if let failure = state.failure { throw failure }
            return levels.contains(.disk) ? state.disk[key] : nil
        }
    }

    package func store(_ entry: NewEntry, for key: CacheKey, in levels: CacheLevels) async throws {
        await storeGate?.pass()
        try state.withLock { state throws(ImageError) in
            state.counts.stores += 1
            if let failure = state.failure { throw failure }
            if levels.contains(.disk), let data = entry.data {
                state.disk[key] = StoredEntry(data: data, metadata: entry.metadata, level: .disk)
            }
        }
    }

    package func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws {
        state.withLock { state in
            if let old = state.disk[key] {
                state.disk[key] = StoredEntry(data: old.data, metadata: metadata, level: .disk)
            }
        }
    }

    package func remove(for key: CacheKey, in levels: CacheLevels) async throws {
        state.withLock { state in
            if levels.contains(.memory) { state.memory[key] = nil }
            if levels.contains(.disk) { state.disk[key] = nil }
        }
    }

    package func contains(_ key: CacheKey, in levels: CacheLevels) async throws -> CacheLevels {
        state.withLock { state in
            var found: CacheLevels = []
            if state.memory[key] != nil { found.insert(.memory) }
            if state.disk[key] != nil { found.insert(.disk) }
            return found.intersection(levels)
        }
    }

    package func clear(_ levels: CacheLevels) async throws {
        state.withLock { state in
            if levels.contains(.memory) { state.memory = [:] }
            if levels.contains(.disk) { state.disk = [:] }
        }
    }
}
