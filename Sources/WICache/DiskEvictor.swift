// SPDX-License-Identifier: MIT
internal import WICore

/// Keeps the disk cache within its limits: the oldest of sampled entries go, and what has expired as it is met.
///
/// Keys spread evenly over the shards, so that the entries of one are a fair sample of the whole; the memory needed is that of a
/// few shards. One store looks at a bounded number of entries, whatever the size of the cache.
struct DiskEvictor {
    private typealias Candidate = DiskCounter.Candidate

    /// Entries to choose from in one round.
    private static let sample = 16
    /// The oldest of a sample that go at once: one in so many.
    private static let share = 8
    /// Entries that a trim sorts at once, at least: of a cache that has no more, exactly the oldest go.
    private static let group = 4096

    private let configuration: DiskCacheConfiguration
    private let layout: DiskLayout
    private let totals: DiskTotals
    private let counter: DiskCounter

    init(_ configuration: DiskCacheConfiguration, _ layout: DiskLayout, _ totals: DiskTotals) {
        self.configuration = configuration
        self.layout = layout
        self.totals = totals
        counter = DiskCounter(configuration, layout, totals)
    }

    // MARK: - After a store

    /// What a store does for the bounds. The limit is kept, whatever that takes; from there down to the low-water mark goes a
    /// share of a sample with each store.
    func evictAfterStore(in shard: Int, _ sampler: borrowing Locked<DiskSampler>) {
        let now = configuration.time.secondsSince1970()
        var survey = totals.survey(shard)
        // Where a thread counts in the background, no store comes to it: the thread counts twice as often.
        if !survey.isShardKnown
            || DiskTotals.isOutdated(survey.countedAt, at: now, after: 2 * configuration.countInterval)
        {
            _ = counter.count(shard)
            survey = totals.survey(shard)
        }
        // A cache whose totals were lost is counted anew, one shard with each store.
        if !survey.isKnown, let unknown = totals.firstUnknown {
            _ = counter.count(unknown)
            survey = totals.survey(shard)
        }
        let isFull = exceeds(1, survey.total)
        if isFull, !survey.isDraining { totals.isDraining = true }
        guard isFull || survey.isDraining else { return }
        let low = min(1, max(0, configuration.lowWaterMark))
        _ = evictRound(downTo: low, sampler)
        enforceLimit(sampler)
        if !exceeds(low) { totals.isDraining = false }
    }

    private func enforceLimit(_ sampler: borrowing Locked<DiskSampler>) {
        while exceeds(1) {
            if evictRound(downTo: 1, sampler) > 0 { continue }
            // Nothing goes although too much is noted: the notes are wrong, or nothing can be removed.
            for shard in 0..<DiskTotals.shards { _ = counter.count(shard) }
            guard exceeds(1), evictRound(downTo: 1, sampler) > 0 else { return }
        }
    }

    private func exceeds(_ share: Double) -> Bool { exceeds(share, totals.total) }

    private func exceeds(_ share: Double, _ total: DiskTotals.Sum) -> Bool {
        Double(total.bytes) > Double(configuration.byteLimit.bytes) * share
            || Double(total.count) > Double(configuration.countLimit) * share
    }

    /// Removes the oldest of a sample, as long as more than `share` of a limit is in use; gives how many went.
    private func evictRound(downTo share: Double, _ sampler: borrowing Locked<DiskSampler>) -> Int {
        var gone = 0
        let found = look(sampler, gone: &gone).sorted { $0.usedAt < $1.usedAt }
        for candidate in found.prefix(max(1, found.count / Self.share)) {
            guard exceeds(share) else { break }
            if counter.remove(candidate) { gone += 1 }
        }
        return gone
    }

    /// A sample of the entries; what has expired among them goes.
    private func look(_ sampler: borrowing Locked<DiskSampler>, gone: inout Int) -> [Candidate] {
        let now = configuration.time.secondsSince1970()
        var found: [Candidate] = []
        var lists = 0
        // Read once: each look at one shard's numbers is a system call.
        var mayHoldEntries: [Bool]?
        while found.count < Self.sample {
            let wanted = Self.sample - found.count
            if let (shard, names) = sampler.withLock({ $0.take(wanted, configuration.random) }) {
                for name in names {
                    if let entry = counter.candidate(name, of: shard, at: now, gone: &gone) {
                        found.append(entry)
                    }
                }
                continue
            }
            guard lists < DiskTotals.shards else { break }
            lists += 1
            let shard = sampler.withLock { $0.nextShard(configuration.random) }
            let shards = mayHoldEntries ?? totals.mayHoldEntries
            mayHoldEntries = shards
            guard shards[shard],
                let names = try? configuration.fileSystem.list(layout.folder(of: shard))
            else { continue }
            sampler.withLock { $0.fill(names, of: shard) }
        }
        return found
    }

    // MARK: - On request, and in the background

    /// Removes what has expired; gives how many entries went.
    func removeExpired() -> Int {
        (0..<DiskTotals.shards).reduce(0) { $0 + counter.count($1).expired }
    }

    /// Counts a shard anew.
    func count(_ shard: Int) { _ = counter.count(shard) }

    /// Counts one shard that nobody has counted for so long, so that what has expired there goes; whether there was one.
    func countOutdated() -> Bool {
        let now = configuration.time.secondsSince1970()
        let outdated = (0..<DiskTotals.shards).first {
            !totals.isKnown($0) || totals.isOutdated($0, at: now, after: configuration.countInterval)
        }
        guard let outdated else { return false }
        count(outdated)
        // One that cannot be counted, as where it cannot be listed, must not be tried for ever.
        return totals.isKnown(outdated)
            && !totals.isOutdated(outdated, at: now, after: configuration.countInterval)
    }

    /// Removes what has expired, and the oldest of what is over `share` of the limits.
    func trim(toShare share: Double) {
        _ = removeExpired()
        guard exceeds(share) else { return }
        let total = totals.total
        let kept = min(
            Double(configuration.byteLimit.bytes) * share / Double(max(1, total.bytes)),
            Double(configuration.countLimit) * share / Double(max(1, total.count)))
        var group: [Candidate] = []
        for shard in 0..<DiskTotals.shards {
            group += counter.count(shard).entries
            guard group.count >= Self.group || shard == DiskTotals.shards - 1 else { continue }
            trim(group, toShare: share, kept: kept)
            group = []
        }
    }

    /// Removes the oldest until `kept` of the group is left, in bytes and in entries.
    private func trim(_ group: [Candidate], toShare share: Double, kept: Double) {
        var bytes = Double(group.reduce(0) { $0 &+ $1.size }), count = Double(group.count)
        let limits = (bytes: bytes * kept, count: count * kept)
        for candidate in group.sorted(by: { $0.usedAt < $1.usedAt }) {
            guard bytes > limits.bytes || count > limits.count, exceeds(share) else { return }
            guard counter.remove(candidate) else { continue }
            bytes -= Double(candidate.size)
            count -= 1
        }
    }
}
