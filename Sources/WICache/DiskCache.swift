// SPDX-License-Identifier: MIT
public import FoundationEssentials
internal import Synchronization
public import WICore
internal import WIEntry

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Encoded pictures on disk: one file for each entry, shared by any number of threads and processes.
///
/// Opening takes constant time. A reader sees an entry whole or not at all, also when a writer is killed; a torn, damaged or
/// foreign file is a miss, and removed. The cache is bounded at every moment: a store that takes it over a limit evicts. All
/// calls block on file work; call them from threads that may.
public final class DiskCache: Sendable {
    /// The configuration that it was made with.
    public let configuration: DiskCacheConfiguration
    let layout: DiskLayout
    let files: any FileSystem
    private let clock: @Sendable () -> Double
    private let totals: Locked<DiskTotals?>
    private let sampler = Locked(DiskSampler())
    private let isEnrolled = Atomic(false)
    private let counter = Locked(UInt64(0))
    /// When the folder was last found good; nil before it is there.
    let trustedAt = Locked(Double?.none)
    /// Tells this cache's temporary files from those of others, also of a process with the same number in another container.
    private let writer = String(UInt64.random(in: 0...UInt64.max), radix: 36)

    /// A cache; nothing is read or made before the first use.
    public init(configuration: DiskCacheConfiguration = DiskCacheConfiguration()) {
        self.configuration = configuration
        files = configuration.fileSystem
        clock = configuration.time.secondsSince1970
        layout = DiskLayout(configuration)
        totals = Locked(nil)
    }

    var now: Double { clock() }

    /// From its first use on, the process's thread for such things looks after the cache.
    private func enroll() {
        guard !isEnrolled.load(ordering: .relaxed), configuration.sweepsInBackground,
            !isEnrolled.exchange(true, ordering: .relaxed)
        else { return }
        Upkeep.shared.add(self)
    }

    /// The totals, opened when first needed: a process that only reads never opens them.
    func openTotals() -> DiskTotals {
        if let open = totals.withLock({ $0 }) { return open }
        let isFresh = (try? files.status(layout.folder)) == nil
        try? files.makeFolder(layout.folder)
        let opened = DiskTotals(path: layout.totalsPath, emptySince: isFresh ? now : nil)
        return totals.withLock { totals in
            if let open = totals { return open }
            totals = opened
            return opened
        }
    }

    // MARK: - Entries

    /// The bytes under `key` with their metadata; nil when there are none that are good. Stale ones are given as they are.
    ///
    /// - Throws: ``ImageError`` with code `cacheRead` when the file is there but cannot be read.
    public func entry(for key: CacheKey) throws(ImageError) -> StoredEntry? {
        let place = layout.place(of: key), now = now
        try checkFolder(.cacheRead, .query, at: now)
        enroll()
        guard let entry = try read(key, place, now) else { return try additionalEntry(for: key) }
        return StoredEntry(data: entry.payload, metadata: entry.metadata, level: .disk)
    }

    /// The entry, unless it is damaged, another key's, or too old; a damaged or old one is removed.
    private func read(
        _ key: CacheKey, _ place: DiskLayout.Place, _ now: Double
    ) throws(ImageError) -> EntryFile? {
        do throws(FileError) {
            let file = try files.read(
                place.path, limit: configuration.byteLimit.bytes, usedSince: now - layout.useResolution)
            let text = key.text
            guard let entry = try? EntryFile(file.data, expectedKey: text),
                !layout.isExpired(file.status, at: now)
            else {
                discard(place, file.status)
                return nil
            }
            return entry.keyText == text ? entry : nil
        } catch {
            if error.isNotFound { return nil }
            // A link is no file of the cache's.
            guard error.code == EFBIG || error.code == ELOOP else { throw readError(error) }
            if let status = try? files.status(place.path) { discard(place, status) }
            return nil
        }
    }

    private func additionalEntry(for key: CacheKey) throws(ImageError) -> StoredEntry? {
        guard let path = configuration.additionalFile?(key) else { return nil }
        do throws(FileError) {
            let file = try files.read(path, limit: configuration.byteLimit.bytes, usedSince: nil)
            let metadata = EntryMetadata(storedAt: file.status.modifiedAt)
            return StoredEntry(data: file.data, metadata: metadata, level: .disk)
        } catch {
            if error.isNotFound { return nil }
            throw readError(error)
        }
    }

    func readError(_ error: FileError) -> ImageError {
        ImageError(
            .cacheRead, stage: .query,
            "The entry in the cache folder “\(configuration.root)” cannot be read.",
            underlying: "\(error)")
    }

    func writeError(_ error: FileError) -> ImageError {
        ImageError(
            .cacheWrite, stage: .store, "The cache folder “\(configuration.root)” cannot be written.",
            isRetryable: error.code == ENOSPC, underlying: "\(error)")
    }

    private func discard(_ place: DiskLayout.Place, _ status: FileStatus) {
        // What somebody stored there since is not what was found to be bad.
        guard let now = try? files.status(place.path), now.size == status.size,
            now.modifiedAt == status.modifiedAt
        else { return }
        do throws(FileError) {
            try files.remove(place.path)
            openTotals().add(place.shard, bytes: -status.size, count: -1)
        } catch {
            // Somebody else was quicker, or the folder is read-only: it stays a miss.
        }
    }

    /// Stores bytes under `key`, in place of those that are there, and evicts where a limit is passed.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`; no part of the entry is left behind then.
    public func store(_ data: Data, metadata: EntryMetadata, for key: CacheKey) throws(ImageError) {
        try checkFolder(.cacheWrite, .store)
        try write(EntryFile(keyText: key.text, metadata: metadata, payload: data), layout.place(of: key))
    }

    private func write(_ entry: EntryFile, _ place: DiskLayout.Place) throws(ImageError) {
        let trailer: Data
        do throws(EntryFile.Fault) {
            trailer = try entry.trailer()
        } catch {
            throw ImageError(
                .cacheWrite, stage: .store,
                "The entry's key and metadata take more than \(ByteCount(EntryFile.trailerLimit)); keep less with it."
            )
        }
        let size = entry.payload.count + trailer.count
        guard size <= configuration.byteLimit.bytes else {
            throw ImageError(
                .cacheWrite, stage: .store,
                "The entry has \(ByteCount(size)), more than the whole cache may: \(configuration.byteLimit)."
            )
        }
        do throws(FileError) {
            try publish([entry.payload, trailer], size, place)
        } catch {
            throw writeError(error)
        }
        enroll()
        evict(afterStoreIn: place.shard)
    }

    func evict(afterStoreIn shard: Int) {
        DiskEvictor(configuration, layout, openTotals()).evictAfterStore(in: shard, sampler)
    }

    /// Writes an entry's file and notes it.
    func publish(_ parts: [Data], _ size: Int, _ place: DiskLayout.Place) throws(FileError) {
        let number = counter.withLock { counter in
            counter += 1
            return counter
        }
        let temporary = place.temporaryPath(writer, number)
        do throws(FileError) {
            try publish(parts, size, temporary, place)
        } catch {
            // The shard is made when it is first written to, and again when somebody deleted the folder.
            guard error.isNotFound else { throw error }
            // With the folder went the file of totals: what is noted in it, no other process sees any more.
            if (try? files.status(layout.totalsPath)) == nil {
                totals.withLock { $0 = nil }
                trustedAt.withLock { $0 = nil }
            }
            _ = openTotals()
            try files.makeFolder(place.folder)
            try publish(parts, size, temporary, place)
        }
    }

    private func publish(
        _ parts: [Data], _ size: Int, _ temporary: String, _ place: DiskLayout.Place
    ) throws(FileError) {
        try files.write(parts, to: temporary)
        // Noted between the two: a writer that is killed leaves the totals too high, never too low; and whoever counts the
        // shard meanwhile sees by the temporary file that something is about to come.
        let totals = openTotals()
        totals.add(place.shard, bytes: size, count: 1)
        do throws(FileError) {
            guard let replaced = try files.publish(temporary, at: place.path) else { return }
            totals.add(place.shard, bytes: -replaced.size, count: -1)
        } catch {
            totals.add(place.shard, bytes: -size, count: -1)
            throw error
        }
    }

    /// Replaces the metadata of an entry, as after a 304; one that is not there is no error.
    ///
    /// - Throws: ``ImageError`` with code `cacheRead` or `cacheWrite`.
    public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) throws(ImageError) {
        try checkFolder(.cacheWrite, .store)
        let place = layout.place(of: key)
        guard var entry = try read(key, place, now) else { return }
        entry.metadata = metadata
        try write(entry, place)
    }

    /// Removes an entry; one that is not there is no error.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func remove(_ key: CacheKey) throws(ImageError) {
        try checkFolder(.cacheWrite, .store)
        let place = layout.place(of: key)
        try remove(place.path, of: place.shard)
    }

    /// Removes a file and what is noted for it; one that is not there is no error.
    func remove(_ path: String, of shard: Int) throws(ImageError) {
        guard let status = try? files.status(path) else { return }
        do throws(FileError) {
            try files.remove(path)
            openTotals().add(shard, bytes: -status.size, count: -1)
        } catch {
            guard !error.isNotFound else { return }
            throw writeError(error)
        }
    }

    /// Whether an entry is there that has not outlived the age limit; its content is not looked at, and it is not a use.
    public func contains(_ key: CacheKey) -> Bool {
        let place = layout.place(of: key)
        guard (try? checkFolder()) != nil, let status = try? files.status(place.path) else { return false }
        return status.isRegular && !layout.isExpired(status, at: now)
    }
}
