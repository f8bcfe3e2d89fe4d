// SPDX-License-Identifier: MIT
public import FoundationEssentials
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
    private let totals: Locked<DiskTotals?>
    private let counter = Locked(UInt64(0))
    /// When the folder was last found good; nil before it is there.
    let trustedAt = Locked(Double?.none)
    /// Tells this cache's temporary files from those of others, also of a process with the same number in another container.
    private let writer = String(UInt64.random(in: 0...UInt64.max), radix: 36)

    /// A cache; nothing is read or made before the first use.
    public init(configuration: DiskCacheConfiguration = DiskCacheConfiguration()) {
        self.configuration = configuration
        layout = DiskLayout(configuration)
        totals = Locked(nil)
    }

    private var files: any FileSystem { configuration.fileSystem }

    /// The totals, opened when first needed: a process that only reads never maps them.
    func openTotals() -> DiskTotals {
        if let open = totals.withLock({ $0 }) { return open }
        let isFresh = (try? files.status(layout.folder)) == nil
        try? files.makeFolder(layout.folder)
        let now = configuration.time.secondsSince1970()
        let opened = DiskTotals(path: layout.totalsPath, emptySince: isFresh ? now : nil)
        return totals.withLock { totals in
            if let open = totals { return open }
            totals = opened
            return opened
        }
    }

    // MARK: - Entries

    /// The bytes under `key` with their metadata; nil when there are none that are good.
    ///
    /// - Throws: ``ImageError`` with code `cacheRead` when the file is there but cannot be read.
    public func entry(for key: CacheKey) throws(ImageError) -> StoredEntry? {
        try checkFolder(.cacheRead, .query)
        let place = layout.place(of: key)
        guard let (file, status) = try readFile(place), let entry = parse(file, key, place, status) else {
            return nil
        }
        return StoredEntry(data: entry.payload, metadata: entry.metadata, level: .disk)
    }

    private func readFile(_ place: DiskLayout.Place) throws(ImageError) -> (Data, FileStatus)? {
        do {
            let now = configuration.time.secondsSince1970()
            return try files.read(place.path, limit: configuration.byteLimit.bytes, usedAt: now)
        } catch {
            if error.isNotFound { return nil }
            // A link is no file of the cache's.
            if error.code == EFBIG || error.code == ELOOP {
                if let status = try? files.status(place.path) { discard(place, status) }
                return nil
            }
            throw ImageError(
                .cacheRead, stage: .query,
                "The entry in the cache folder “\(configuration.root)” cannot be read.",
                underlying: "\(error)")
        }
    }

    /// The entry, unless it is damaged, another key's, or too old; a damaged or old one is removed.
    private func parse(
        _ file: Data, _ key: CacheKey, _ place: DiskLayout.Place, _ status: FileStatus
    ) -> EntryFile? {
        guard let entry = try? EntryFile(file) else {
            discard(place, status)
            return nil
        }
        guard entry.keyText == key.text else { return nil }
        let now = configuration.time.secondsSince1970()
        guard !layout.isExpired(status, at: now), entry.metadata.expiresAt.map({ now < $0 }) ?? true else {
            discard(place, status)
            return nil
        }
        return entry
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
            throw ImageError(
                .cacheWrite, stage: .store, "The cache folder “\(configuration.root)” cannot be written.",
                isRetryable: error.code == ENOSPC, underlying: "\(error)")
        }
        DiskEvictor(configuration, layout, openTotals()).evictAfterStore(in: place.shard)
    }

    private func publish(_ parts: [Data], _ size: Int, _ place: DiskLayout.Place) throws(FileError) {
        let number = counter.withLock { counter in
            counter += 1
            return counter
        }
        let temporary = place.folder + "/" + DiskLayout.temporaryPrefix + writer + "-" + String(number)
        do throws(FileError) {
            try publish(parts, size, temporary, place)
        } catch {
            // The shard is made when it is first written to, and again when somebody deleted the folder.
            guard error.isNotFound else { throw error }
            // With the folder went the file of totals: what is noted in it, no other process sees any more.
            if (try? files.status(layout.totalsPath)) == nil { totals.withLock { $0 = nil } }
            trustedAt.withLock { $0 = nil }
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
        guard let (file, status) = try readFile(place), var entry = parse(file, key, place, status) else {
            return
        }
        entry.metadata = metadata
        try write(entry, place)
    }

    /// Removes an entry; one that is not there is no error.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func remove(_ key: CacheKey) throws(ImageError) {
        try checkFolder(.cacheWrite, .store)
        let place = layout.place(of: key)
        guard let status = try? files.status(place.path) else { return }
        do throws(FileError) {
            try files.remove(place.path)
            openTotals().add(place.shard, bytes: -status.size, count: -1)
        } catch {
            guard !error.isNotFound else { return }
            throw ImageError(
                .cacheWrite, stage: .store, "The cache folder “\(configuration.root)” cannot be written.",
                underlying: "\(error)")
        }
    }

    /// Whether an entry is there that has not outlived the age limit; its content is not looked at, and it is not a use.
    public func contains(_ key: CacheKey) -> Bool {
        let place = layout.place(of: key)
        guard (try? checkFolder()) != nil, let status = try? files.status(place.path) else { return false }
        return status.isRegular && !layout.isExpired(status, at: configuration.time.secondsSince1970())
    }

    // MARK: - The whole

    /// Bytes and entries on disk. Constant time, but for shards that nobody has counted yet.
    public var totalSize: (bytes: ByteCount, count: Int) {
        guard (try? checkFolder()) != nil, (try? files.status(layout.folder)) != nil else {
            return (.zero, 0)
        }
        let totals = openTotals()
        let evictor = DiskEvictor(configuration, layout, totals)
        while let shard = totals.firstUnknown { evictor.recount(shard) }
        let total = totals.total
        return (ByteCount(total.bytes), total.count)
    }

    /// Removes expired entries and left-over temporary files, and brings the cache down to half its limits.
    public func trim() {
        guard (try? checkFolder()) != nil, (try? files.status(layout.folder)) != nil else { return }
        DiskEvictor(configuration, layout, openTotals()).trim(toShare: 0.5)
    }

    /// Removes all entries.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func clear() throws(ImageError) {
        try checkFolder(.cacheWrite, .store)
        guard (try? files.status(layout.folder)) != nil else { return }
        let totals = openTotals()
        do throws(FileError) {
            for shard in 0..<DiskTotals.shards { try clear(shard, totals) }
        } catch {
            throw ImageError(
                .cacheWrite, stage: .store, "The cache folder “\(configuration.root)” cannot be emptied.",
                underlying: "\(error)")
        }
    }

    private func clear(_ shard: Int, _ totals: DiskTotals) throws(FileError) {
        let folder = layout.folder(of: shard)
        let names: [String]
        do throws(FileError) {
            names = try files.list(folder)
        } catch {
            guard error.isNotFound else { throw error }
            totals.set(shard, DiskTotals.Sum(bytes: 0, count: 0), at: configuration.time.secondsSince1970())
            return
        }
        for name in names {
            do throws(FileError) { try files.remove("\(folder)/\(name)") } catch {
                guard error.isNotFound else { throw error }
            }
        }
        totals.set(shard, DiskTotals.Sum(bytes: 0, count: 0), at: configuration.time.secondsSince1970())
    }
}
