// SPDX-License-Identifier: MIT
internal import WICore

/// Gives names of entries to choose from, a few at a time: one shard's in random order, then another shard's.
///
/// A shard is listed once and used up by many rounds of eviction, so that none costs more the more entries there are. What
/// it says may be out of date: a name is only a place to look.
struct DiskSampler: Sendable {
    /// What was listed, and not looked at yet.
    private var names: [String] = []
    private var listed = 0
    /// The walk over all shards: an odd step visits each once.
    private var place = 0
    private var step = 1
    private var left = 0

    /// Up to `count` names of one shard, at random; nil when the shard is used up.
    mutating func take(_ count: Int, _ random: (Int) -> Int) -> (shard: Int, names: [String])? {
        guard !names.isEmpty else { return nil }
        var taken: [String] = []
        while taken.count < count, !names.isEmpty {
            names.swapAt(random(names.count), names.count - 1)
            taken.append(names.removeLast())
        }
        return (listed, taken)
    }

    /// The shard to list next.
    mutating func nextShard(_ random: (Int) -> Int) -> Int {
        if left == 0 {
            place = random(DiskTotals.shards)
            step = random(DiskTotals.shards / 2) * 2 + 1
            left = DiskTotals.shards
        }
        left -= 1
        place = (place + step) % DiskTotals.shards
        return place
    }

    /// Takes what a shard's list had in place of what is left of another's.
    mutating func fill(_ names: [String], of shard: Int) {
        self.names = names
        listed = shard
    }
}
