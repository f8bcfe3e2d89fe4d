// SPDX-License-Identifier: MIT
internal import WICore

/// Keeps the disk cache within its limits: the oldest of sampled shards go, and what has expired as it is met.
///
/// Keys spread evenly over the shards, so that each is a fair sample of the whole; the memory needed is that of a few shards.
/// One store removes a bounded number of entries, whatever the size of the cache.
struct DiskEvictor {
    private struct Candidate {
        let path: String
        let shard: Int
        let size: Int
        let usedAt: Double
    }

    /// Shards are sampled until so many entries are there to choose from.
    private static let sample = 64
    /// Beyond what the limits demand, a full cache loses up to so many entries with a store.
    private static let batch = 16

    private let configuration: DiskCacheConfiguration
    private let layout: DiskLayout
    private let totals: DiskTotals
    private var files: any FileSystem { configuration.fileSystem }

    init(_ configuration: DiskCacheConfiguration, _ layout: DiskLayout, _ totals: DiskTotals) {
        self.configuration = configuration
        self.layout = layout
        self.totals = totals
    }

    /// What a store does for the bounds.
    func evictAfterStore(in shard: Int) {
        if !totals.isKnown(shard) { recount(shard) }
        // A cache whose totals were lost is counted anew, one shard with each store.
        if let unknown = totals.firstUnknown { recount(unknown) }
        guard exceeds(1) else { return }
        var rounds = 0
        // The limit is kept, whatever it takes; the way down to the low-water mark goes a batch with each store.
        while exceeds(1) || (rounds == 0 && exceeds(configuration.lowWaterMark)),
            rounds < 4 * DiskTotals.shards
        {
            rounds += 1
            evictRound(atMost: Self.batch, downTo: rounds == 1 ? configuration.lowWaterMark : 1)
        }
    }

    /// Removes what has expired, and what is over `share` of the limits.
    func trim(toShare share: Double) {
        for shard in 0..<DiskTotals.shards { _ = candidates(of: shard) }
        var rounds = 0
        while exceeds(share), rounds < 1_000_000 {
            rounds += 1
            let before = totals.total.count
            evictRound(atMost: .max, downTo: share)
            if totals.total.count >= before { break }
        }
    }

    /// Counts a shard, and removes what has expired there.
    func recount(_ shard: Int) { _ = candidates(of: shard) }

    private func exceeds(_ share: Double) -> Bool {
        let total = totals.total
        return Double(total.bytes) > Double(configuration.byteLimit.bytes) * share
            || Double(total.count) > Double(configuration.countLimit) * share
    }

    /// Removes the oldest fifth of a sample, or fewer.
    private func evictRound(atMost most: Int, downTo share: Double) {
        var found: [Candidate] = []
        let start = configuration.random(DiskTotals.shards)
        // An odd step visits every shard once.
        let step = configuration.random(DiskTotals.shards / 2) * 2 + 1
        for index in 0..<DiskTotals.shards where found.count < Self.sample {
            let shard = (start + index * step) % DiskTotals.shards
            guard totals.count(shard) > 0 || !totals.isKnown(shard) else { continue }
            found += candidates(of: shard)
        }
        found.sort { $0.usedAt < $1.usedAt }
        for candidate in found.prefix(min(most, max(1, found.count / 5))) {
            guard exceeds(share) else { return }
            remove(candidate)
        }
    }

    private func remove(_ candidate: Candidate) {
        do throws(FileError) {
            try files.remove(candidate.path)
            totals.add(candidate.shard, bytes: -candidate.size, count: -1)
        } catch {
            // What somebody else removed is counted by them; what cannot be removed stays counted.
        }
    }

    /// The entries of a shard, whose totals are set to what is there. Expired entries and left-over temporary files go.
    private func candidates(of shard: Int) -> [Candidate] {
        let folder = layout.folder(of: shard)
        guard let names = try? files.list(folder) else {
            totals.set(shard, bytes: 0, count: 0)
            return []
        }
        let now = configuration.time.secondsSince1970()
        var found: [Candidate] = []
        for name in names {
            let path = "\(folder)/\(name)"
            guard let status = try? files.status(path), status.isRegular else { continue }
            let isTemporary = name.hasPrefix(DiskLayout.temporaryPrefix)
            if isTemporary
                ? now - status.modifiedAt > DiskLayout.temporaryLife : layout.isExpired(status, at: now)
            {
                if (try? files.remove(path)) != nil { continue }
            }
            guard !isTemporary else { continue }
            let usedAt = max(status.accessedAt, status.modifiedAt)
            found.append(Candidate(path: path, shard: shard, size: status.size, usedAt: usedAt))
        }
        totals.set(shard, bytes: found.reduce(0) { $0 &+ $1.size }, count: found.count)
        return found
    }
}
