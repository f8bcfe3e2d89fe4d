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
    /// The oldest of a sample that go at once: one in so many. A share, not a number, so that each entry that goes costs as
    /// many looks at others, however large the shards are.
    private static let share = 8
    /// A shard is counted anew, and its expired entries go, when it is stored into so long after the last count; sooner where
    /// entries live less than a week.
    private static let longestInterval = 86_400.0
    private static let shortestInterval = 60.0

    private let configuration: DiskCacheConfiguration
    private let layout: DiskLayout
    private let totals: DiskTotals
    private var files: any FileSystem { configuration.fileSystem }

    init(_ configuration: DiskCacheConfiguration, _ layout: DiskLayout, _ totals: DiskTotals) {
        self.configuration = configuration
        self.layout = layout
        self.totals = totals
    }

    /// What a store does for the bounds. The limit is kept, whatever that takes; from there down to the low-water mark goes a
    /// share of a shard with each store.
    func evictAfterStore(in shard: Int) {
        let now = configuration.time.secondsSince1970()
        if !totals.isKnown(shard) || totals.isOutdated(shard, at: now, after: interval) { recount(shard) }
        // A cache whose totals were lost is counted anew, one shard with each store.
        if let unknown = totals.firstUnknown { recount(unknown) }
        if exceeds(1) { totals.isDraining = true }
        guard totals.isDraining else { return }
        let low = min(1, max(0, configuration.lowWaterMark))
        evictRound(downTo: low)
        var rounds = 1
        while exceeds(1), rounds < 4 * DiskTotals.shards {
            rounds += 1
            evictRound(downTo: 1)
        }
        if !exceeds(low) { totals.isDraining = false }
    }

    private var interval: Double {
        guard let limit = configuration.ageLimit else { return Self.longestInterval }
        return min(Self.longestInterval, max(Self.shortestInterval, Double(limit.components.seconds) / 7))
    }

    /// Removes what has expired, and what is over `share` of the limits.
    func trim(toShare share: Double) {
        for shard in 0..<DiskTotals.shards { _ = candidates(of: shard) }
        var rounds = 0
        while exceeds(share), rounds < 1_000_000 {
            rounds += 1
            let before = totals.total.count
            evictRound(downTo: share)
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

    /// Removes the oldest of a sample, as long as more than `share` of a limit is in use.
    private func evictRound(downTo share: Double) {
        var found: [Candidate] = []
        let start = configuration.random(DiskTotals.shards)
        // An odd step visits every shard once.
        let step = configuration.random(DiskTotals.shards / 2) * 2 + 1
        for index in 0..<DiskTotals.shards where found.count < Self.sample {
            let shard = (start + index * step) % DiskTotals.shards
            guard totals.sum(shard).count > 0 || !totals.isKnown(shard) else { continue }
            found += candidates(of: shard)
        }
        found.sort { $0.usedAt < $1.usedAt }
        for candidate in found.prefix(max(1, found.count / Self.share)) {
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
        let now = configuration.time.secondsSince1970()
        let isKnown = totals.isKnown(shard), before = totals.sum(shard)
        let names: [String]
        do throws(FileError) {
            names = try files.list(folder)
        } catch {
            // Only what is not there has no entries: where descriptors ran out, what was counted before stands.
            if error.isNotFound {
                note([], DiskTotals.Sum(bytes: 0, count: 0), shard, now, inPlaceOf: isKnown ? before : nil)
            }
            return []
        }
        var found: [Candidate] = []
        var gone = DiskTotals.Sum(bytes: 0, count: 0), isBusy = false
        for name in names {
            let path = "\(folder)/\(name)"
            guard let status = try? files.status(path), status.isRegular else { continue }
            if name.hasPrefix(DiskLayout.temporaryPrefix) {
                let isLeft = now - status.modifiedAt > DiskLayout.temporaryLife
                if !isLeft || (try? files.remove(path)) == nil { isBusy = true }
            } else if layout.isExpired(status, at: now), (try? files.remove(path)) != nil {
                gone = DiskTotals.Sum(bytes: gone.bytes &+ status.size, count: gone.count + 1)
            } else {
                let usedAt = max(status.accessedAt, status.modifiedAt)
                found.append(Candidate(path: path, shard: shard, size: status.size, usedAt: usedAt))
            }
        }
        note(found, gone, shard, isKnown && isBusy ? nil : now, inPlaceOf: isKnown ? before : nil)
        return found
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
