// SPDX-License-Identifier: MIT
internal import FoundationEssentials
public import WICore
internal import WIEntry

/// One entry of a disk cache, as a list has it: all but the bytes.
public struct DiskEntry: Hashable, Sendable {
    /// The key that it is stored under.
    public let key: CacheKey
    /// What is known about its bytes.
    public let metadata: EntryMetadata
    /// The file that it lies in. Its first ``byteCount`` bytes are what was stored.
    public let path: String
    /// What was stored.
    public let byteCount: ByteCount
    /// What the file takes, key and metadata included.
    public let fileSize: ByteCount
    /// When it was last used, in seconds since 1970.
    public let usedAt: Double
    let shard: Int
}

/// All entries of a disk cache, read one by one while they are gone through: the memory needed is that of one shard's names.
///
/// What others store or remove meanwhile may be among them or not. Expired entries, and files that are none, are left out.
/// Going through them is no use of an entry. Blocks on file work.
public struct DiskEntries: Sequence, Sendable {
    let cache: DiskCache

    /// Begins at the first shard.
    public func makeIterator() -> Iterator { Iterator(cache: cache) }

    /// Where somebody is in the list.
    public struct Iterator: IteratorProtocol, Sendable {
        private let cache: DiskCache
        private var files: DiskFiles.Iterator

        init(cache: DiskCache) {
            self.cache = cache
            files = DiskFiles(cache: cache).makeIterator()
        }

        /// The next entry; nil after the last.
        public mutating func next() -> DiskEntry? {
            while let file = files.next() {
                if let entry = cache.summary(of: file) { return entry }
            }
            return nil
        }
    }
}

/// The files that lie where entries do, temporary ones left out, shard by shard in the order of their names.
struct DiskFiles: Sequence, Sendable {
    struct File: Sendable {
        let path: String
        let name: String
        let shard: Int
    }

    let cache: DiskCache

    func makeIterator() -> Iterator { Iterator(cache: cache) }

    struct Iterator: IteratorProtocol, Sendable {
        let cache: DiskCache
        private var names: [String] = []
        private var shard = -1

        init(cache: DiskCache) { self.cache = cache }

        mutating func next() -> File? {
            while names.isEmpty {
                guard shard < DiskTotals.shards - 1 else { return nil }
                shard += 1
                let listed = (try? cache.files.list(cache.layout.folder(of: shard))) ?? []
                names = listed.filter { !$0.hasPrefix(DiskLayout.temporaryPrefix) }.sorted(by: >)
            }
            let name = names.removeLast()
            return File(path: cache.layout.path(of: name, in: shard), name: name, shard: shard)
        }
    }
}

extension DiskCache {
    fileprivate func summary(of file: DiskFiles.File) -> DiskEntry? {
        guard var tail = try? files.tail(file.path, length: EntrySummary.usualLength),
            !layout.isExpired(tail.status, at: now), let length = try? EntrySummary.length(endOf: tail.data)
        else { return nil }
        if length > tail.data.count {
            guard let whole = try? files.tail(file.path, length: length) else { return nil }
            tail = whole
        }
        let status = tail.status
        guard let summary = try? EntrySummary(tail: tail.data, fileSize: status.size),
            let key = CacheKey(text: summary.keyText), path(for: key) == file.path
        else { return nil }
        return DiskEntry(
            key: key, metadata: summary.metadata, path: file.path,
            byteCount: ByteCount(summary.payloadLength),
            fileSize: ByteCount(status.size), usedAt: Swift.max(status.accessedAt, status.modifiedAt),
            shard: file.shard)
    }
}
