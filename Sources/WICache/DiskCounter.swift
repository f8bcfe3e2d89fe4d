// SPDX-License-Identifier: MIT
internal import WICore

/// Counts what shards hold. Expired entries and left-over temporary files go when they are met.
struct DiskCounter {
    /// An entry that may have to go.
    struct Candidate {
        let path: String
        let shard: Int
        let size: Int
        let usedAt: Double
    }

    private let configuration: DiskCacheConfiguration
    private let layout: DiskLayout
    private let totals: DiskTotals
    private var files: any FileSystem { configuration.fileSystem }

    init(_ configuration: DiskCacheConfiguration, _ layout: DiskLayout, _ totals: DiskTotals) {
        self.configuration = configuration
        self.layout = layout
        self.totals = totals
    }

    /// Removes an entry; whether it was there, and could be removed.
    func remove(_ candidate: Candidate) -> Bool {
        // What somebody else removed is counted by them; what cannot be removed stays counted.
        guard (try? files.remove(candidate.path)) != nil else { return false }
        totals.add(candidate.shard, bytes: -candidate.size, count: -1)
        return true
    }

    /// The entry of this name; nil where there is none. One that has expired goes, and is counted.
    func candidate(_ name: String, of shard: Int, at now: Double, gone: inout Int) -> Candidate? {
        guard !name.hasPrefix(DiskLayout.temporaryPrefix) else { return nil }
        let path = layout.path(of: name, in: shard)
        guard let status = try? files.status(path), status.isRegular else { return nil }
        let candidate = Candidate(path, shard, status)
        guard layout.isExpired(status, at: now) else { return candidate }
        if remove(candidate) { gone += 1 }
        return nil
    }

    /// The entries of a shard, whose totals are set to what is there.
    func count(_ shard: Int) -> (entries: [Candidate], expired: Int) {
        let now = configuration.time.secondsSince1970()
        let isKnown = totals.isKnown(shard), before = totals.sum(shard)
        let names: [String]
        do throws(FileError) {
            names = try files.list(layout.folder(of: shard))
        } catch {
            // Only what is not there has no entries: where descriptors ran out, what was counted before stands.
            if error.isNotFound {
                note([], DiskTotals.Sum(bytes: 0, count: 0), shard, now, inPlaceOf: isKnown ? before : nil)
            }
            return ([], 0)
        }
        var found: [Candidate] = []
        var gone = DiskTotals.Sum(bytes: 0, count: 0), isBusy = false
        for name in names {
            let path = layout.path(of: name, in: shard)
            guard let status = try? files.status(path), status.isRegular else { continue }
            if name.hasPrefix(DiskLayout.temporaryPrefix) {
                let isLeft = now - status.modifiedAt > DiskLayout.temporaryLife
                if !isLeft || (try? files.remove(path)) == nil { isBusy = true }
            } else if layout.isExpired(status, at: now), (try? files.remove(path)) != nil {
                gone = DiskTotals.Sum(bytes: gone.bytes &+ status.size, count: gone.count + 1)
            } else {
                found.append(Candidate(path, shard, status))
            }
        }
        note(found, gone, shard, isKnown && isBusy ? nil : now, inPlaceOf: isKnown ? before : nil)
        return (found, gone.count)
    }

    /// Writes what was counted, if it is the whole: what others are about to add is noted, but not in the folder yet.
    private func note(
        _ found: [Candidate], _ gone: DiskTotals.Sum, _ shard: Int, _ now: Double?,
        inPlaceOf before: DiskTotals.Sum?
    ) {
        let sum = DiskTotals.Sum(bytes: found.reduce(0) { $0 &+ $1.size }, count: found.count)
        guard let before else { return totals.set(shard, sum, at: now) }
        if let now, totals.set(shard, sum, inPlaceOf: before, at: now) { return }
        totals.add(shard, bytes: -gone.bytes, count: -gone.count)
    }
}

extension DiskCounter.Candidate {
    fileprivate init(_ path: String, _ shard: Int, _ status: FileStatus) {
        self.init(
            path: path, shard: shard, size: status.size, usedAt: max(status.accessedAt, status.modifiedAt))
    }
}
