// SPDX-License-Identifier: MIT
public import WICore

/// What concerns all entries: how many there are, and how they go.
extension DiskCache {
    private var exists: Bool { (try? checkFolder()) != nil && (try? files.status(layout.folder)) != nil }
    private var evictor: DiskEvictor { DiskEvictor(configuration, layout, openTotals()) }

    /// Bytes and entries on disk. Constant time, but for shards that nobody has counted yet.
    public var totalSize: (bytes: ByteCount, count: Int) {
        guard exists else { return (.zero, 0) }
        let totals = openTotals()
        // Each once: one that cannot be counted must not hold up for ever.
        for shard in 0..<DiskTotals.shards where !totals.isKnown(shard) { evictor.count(shard) }
        let total = totals.total
        return (ByteCount(total.bytes), total.count)
    }

    /// Removes what has outlived the age limit, and what killed writers left behind. The limits on size are not touched.
    ///
    /// - Returns: how many entries went.
    @discardableResult
    public func removeExpired() -> Int { exists ? evictor.removeExpired() : 0 }

    /// Removes expired entries and left-over temporary files, and brings the cache down to half its limits, the entries whose
    /// last use is the longest ago first.
    public func trim() {
        guard exists else { return }
        evictor.trim(toShare: 0.5)
    }

    /// What the thread in the background does from time to time: shards that nobody has counted for long are counted, and what
    /// has expired there goes.
    func sweep() {
        guard exists else { return }
        let evictor = evictor
        for _ in 0..<DiskTotals.shards { guard evictor.countOutdated() else { return } }
    }

    /// Removes all entries: every one that can be removed, also where another cannot.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func clear() throws(ImageError) {
        try checkFolder(.cacheWrite, .store)
        guard exists else { return }
        let totals = openTotals()
        var failure: FileError?
        for shard in 0..<DiskTotals.shards {
            do throws(FileError) {
                try clear(shard)
                totals.set(shard, DiskTotals.Sum(bytes: 0, count: 0), at: now)
            } catch {
                failure = failure ?? error
                evictor.count(shard)
            }
        }
        guard let failure else { return }
        throw ImageError(
            .cacheWrite, stage: .store, "The cache folder “\(configuration.root)” cannot be emptied.",
            underlying: "\(failure)")
    }

    /// Removes all files of a shard that can be removed. A folder in it is nobody's entry, and stays.
    private func clear(_ shard: Int) throws(FileError) {
        let names: [String]
        do throws(FileError) {
            names = try files.list(layout.folder(of: shard))
        } catch {
            if error.isNotFound { return }
            throw error
        }
        var failure: FileError?
        for name in names {
            let path = layout.path(of: name, in: shard)
            do throws(FileError) { try files.remove(path) } catch {
                let isEntry = !error.isNotFound && (try? files.status(path))?.isFolder != true
                if isEntry { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }

    /// Returns when everything that was stored so far would outlive a power failure. A kill of the process loses nothing even
    /// without it.
    ///
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    public func flush() throws(ImageError) {
        do throws(FileError) {
            try files.sync(layout.folder)
        } catch {
            // Where nothing was stored, nothing is missing.
            if error.isNotFound { return }
            throw writeError(error)
        }
    }
}
