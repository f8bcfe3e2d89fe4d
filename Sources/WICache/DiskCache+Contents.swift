// SPDX-License-Identifier: MIT
public import WICore
internal import WIEntry

/// What is in the cache, one by one.
extension DiskCache {
    /// The file in which an entry lies, if it is there; it need not be. Its extension is the one that the key has.
    public func path(for key: CacheKey) -> String { layout.place(of: key).path }

    /// All entries that have not expired.
    public var entries: DiskEntries { DiskEntries(cache: self) }

    /// Removes the entries that `isUnwanted` picks. Takes time with the number of all entries.
    ///
    /// - Returns: how many went.
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    @discardableResult
    public func removeAll(where isUnwanted: (DiskEntry) -> Bool) throws(ImageError) -> Int {
        var gone = 0
        for entry in entries where isUnwanted(entry) {
            try remove(entry.path, of: entry.shard)
            gone += 1
        }
        return gone
    }

    /// Removes the entries whose URL, or what a key filter made of it, begins with `prefix`, with all that was derived from them:
    /// thumbnails and transformed pictures too. Takes time with the number of all entries.
    ///
    /// - Returns: how many went.
    /// - Throws: ``ImageError`` with code `cacheWrite`.
    @discardableResult
    public func removeAll(urlPrefix prefix: String) throws(ImageError) -> Int {
        try removeAll { $0.key.base.utf8.starts(with: prefix.utf8) }
    }

    /// Reads every entry and checks that it is, to the last byte, what was stored. Nothing is changed.
    public func verify() -> DiskVerification {
        var result = DiskVerification()
        for file in DiskFiles(cache: self) {
            do throws(FileError) {
                let limit = max(configuration.byteLimit.bytes, 1 << 30)
                let contents = try files.read(file.path, limit: limit, usedSince: nil)
                let (data, status) = (contents.data, contents.status)
                do throws(EntryFile.Fault) {
                    let entry = try EntryFile(data)
                    if CacheKey(text: entry.keyText).map(path(for:)) == file.path {
                        result.add(entry.payload.count)
                    } else {
                        result.addDamage(file.path, status.size, "It lies where its key does not belong.")
                    }
                } catch {
                    result.addDamage(file.path, status.size, error.sentence)
                }
            } catch {
                // What somebody removed meanwhile is no damage.
                if !error.isNotFound { result.addDamage(file.path, 0, "\(error).") }
            }
        }
        return result
    }
}

extension EntryFile.Fault {
    fileprivate var sentence: String {
        switch self {
        case .noTrailer: "It does not end as an entry does: it was cut, or is none."
        case .unknownVersion: "It has a form of another version."
        case .malformed: "Its key or metadata are malformed."
        case .wrongChecksum: "Its checksum is wrong: bytes have changed."
        case .tooLarge: "Its key and metadata are larger than allowed."
        }
    }
}
