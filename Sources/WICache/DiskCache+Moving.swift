// SPDX-License-Identifier: MIT
public import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension DiskCache {
    /// Moves all entries of another cache into this one: of another folder, also one on another disk, or of another namespace. Of
    /// an entry that both have, this cache's own stays. This cache's limits hold all the time.
    ///
    /// - Returns: how many entries came.
    /// - Throws: ``ImageError`` with code `cacheRead` or `cacheWrite`; what was not moved by then is where it was.
    @discardableResult
    public func moveEntries(from other: DiskCache) throws(ImageError) -> Int {
        try other.checkFolder(.cacheRead, .query)
        try checkFolder(.cacheWrite, .store)
        guard other.layout.folder != layout.folder else { return 0 }
        var count = 0
        for file in DiskFiles(cache: other) {
            let place = layout.place(of: file.name, in: file.shard)
            guard (try? files.status(place.path)) == nil else {
                try other.remove(file.path, of: file.shard)
                continue
            }
            do throws(FileError) {
                if try take(file, of: other, to: place) { count += 1 }
            } catch {
                throw writeError(error)
            }
            evict(afterStoreIn: file.shard)
        }
        return count
    }

    /// Takes one file; false where somebody was quicker.
    private func take(
        _ file: DiskFiles.File, of other: DiskCache, to place: DiskLayout.Place
    ) throws(FileError) -> Bool {
        guard let status = try? files.status(file.path), status.isRegular else { return false }
        try files.makeFolder(place.folder)
        do throws(FileError) {
            try files.rename(file.path, to: place.path)
            openTotals().add(place.shard, bytes: status.size, count: 1)
        } catch {
            if error.isNotFound { return false }
            guard error.code == EXDEV else { throw error }
            let contents = try files.read(file.path, limit: configuration.byteLimit.bytes, usedSince: nil)
            try publish([contents.data], contents.data.count, place)
            try files.remove(file.path)
        }
        other.openTotals().add(file.shard, bytes: -status.size, count: -1)
        return true
    }
}
