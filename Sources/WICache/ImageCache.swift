// SPDX-License-Identifier: MIT
public import WICore

/// Memory and disk together: what a manager uses unless told otherwise.
public final class ImageCache: ImageCaching {
    /// The pictures in memory.
    public let memory: MemoryCache
    /// The bytes on disk; nil where nothing is to be kept there.
    public let disk: DiskCache?

    /// A cache of both levels with these configurations.
    public convenience init(
        memory: MemoryCache.Limits = MemoryCache.Limits(),
        disk: DiskCacheConfiguration = DiskCacheConfiguration()
    ) {
        self.init(memory: MemoryCache(limits: memory), disk: DiskCache(configuration: disk))
    }

    /// A cache of these levels.
    public init(memory: MemoryCache, disk: DiskCache?) {
        self.memory = memory
        self.disk = disk
    }

    /// The picture in memory.
    public func memoryEntry(for key: CacheKey) -> MemoryEntry? { memory.entry(for: key) }

    /// Keeps a picture in memory.
    public func storeInMemory(_ entry: MemoryEntry, for key: CacheKey) { memory.store(entry, for: key) }

    /// The bytes on disk. Blocks on file work.
    ///
    /// - Throws: ``ImageError`` with code `cacheRead`.
    public func entry(for key: CacheKey, in levels: CacheLevels) async throws -> StoredEntry? {
        levels.contains(.disk) ? try disk?.entry(for: key) : nil
    }

    /// Stores the picture in memory and the bytes on disk, as `levels` says. Blocks on file work.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func store(_ entry: NewEntry, for key: CacheKey, in levels: CacheLevels) async throws {
        if levels.contains(.memory), let image = entry.image {
            memory.store(MemoryEntry(image: image, metadata: entry.metadata), for: key)
        }
        if levels.contains(.disk), let data = entry.data {
            try disk?.store(data, metadata: entry.metadata, for: key)
        }
    }

    /// Replaces the metadata in both levels. Blocks on file work.
    ///
    /// - Throws: ``ImageError`` with code `cacheRead` or `cacheWrite`.
    public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws {
        memory.updateMetadata(metadata, for: key)
        try disk?.updateMetadata(metadata, for: key)
    }

    /// Removes an entry from `levels`. Blocks on file work.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func remove(for key: CacheKey, in levels: CacheLevels) async throws {
        if levels.contains(.memory) { memory.remove(key) }
        if levels.contains(.disk) { try disk?.remove(key) }
    }

    /// The levels that have the entry. Blocks on file work.
    public func contains(_ key: CacheKey, in levels: CacheLevels) async throws -> CacheLevels {
        var found: CacheLevels = []
        if levels.contains(.memory), memory.contains(key) { found.insert(.memory) }
        if levels.contains(.disk), disk?.contains(key) == true { found.insert(.disk) }
        return found
    }

    /// Removes all entries of `levels`. Blocks on file work.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func clear(_ levels: CacheLevels) async throws {
        if levels.contains(.memory) { memory.removeAll() }
        if levels.contains(.disk) { try disk?.clear() }
    }

    /// Removes what has outlived its time, from memory and disk. Blocks on file work.
    public func removeExpired() {
        memory.removeExpired()
        disk?.removeExpired()
    }

    /// Removes the entries whose URL, or what a key filter made of it, begins with `prefix`, with all that was derived from them.
    /// Blocks on file work, and takes time with the number of all entries.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func removeAll(urlPrefix prefix: String) throws(ImageError) {
        memory.removeAll { $0.base.utf8.starts(with: prefix.utf8) }
        try disk?.removeAll(urlPrefix: prefix)
    }

    /// Returns when everything that was stored on disk so far would outlive a power failure. Blocks on file work.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func flush() throws(ImageError) { try disk?.flush() }
}
