// SPDX-License-Identifier: MIT
internal import WICore

/// Bytes and entries of the 256 shards, in a small file that all processes share: a short-lived one knows at once whether the
/// cache is full.
///
/// Who puts or removes a file notes just that, so that the numbers are right whoever else is at work. A process that is killed
/// between its note and its rename leaves them a little high; a shard is counted anew from time to time.
final class DiskTotals: Sendable {
    /// What one shard holds. Both numbers are in one word, so that no reader and no count sees one without the other.
    struct Sum: Equatable, Sendable {
        var bytes: Int
        var count: Int

        private static let byteBits = 40

        init(bytes: Int, count: Int) {
            self.bytes = bytes
            self.count = count
        }

        fileprivate init(word: Int64) {
            bytes = Int(word & (1 << Self.byteBits - 1))
            count = Int(word >> Self.byteBits)
        }

        /// Adding words adds both numbers, also negative ones.
        fileprivate var word: Int64 {
            Int64(truncatingIfNeeded: count) << Self.byteBits &+ Int64(truncatingIfNeeded: bytes)
        }

        /// No shard has bytes without entries, or fewer than none: that is damage.
        fileprivate var isSound: Bool {
            count >= 0 && (bytes > 0) == (count > 0) && bytes >> (Self.byteBits - 1) == 0
        }
    }

    static let shards = 256
    /// A mark, whether the cache is being brought down to its low-water mark, then for each shard: its sum, and when it was
    /// counted (seconds since 1970; 0 stands for never).
    private static let words = 2 + 2 * shards
    private static let mark: Int64 = 0x5749_544F_5441_4C33

    private let numbers: SharedNumbers

    /// The totals in the file at `path`. Where it cannot be opened, they are this process's own, and unknown at first.
    ///
    /// - Parameter emptySince: where the cache is known to be empty, the time now: a new file's zeros are the truth then.
    init(path: String, emptySince: Double?) {
        numbers = SharedNumbers(path: path, count: Self.words)
        guard numbers[0] != Self.mark else { return }
        for shard in 0..<Self.shards { set(shard, Sum(bytes: 0, count: 0), at: emptySince) }
        isDraining = false
        numbers.change(0) { _ in Self.mark }
    }

    private static func sumIndex(_ shard: Int) -> Int { 2 + 2 * shard }
    private static func timeIndex(_ shard: Int) -> Int { 3 + 2 * shard }

    /// Whether the shard was counted, and its numbers make sense.
    func isKnown(_ shard: Int) -> Bool {
        numbers[Self.timeIndex(shard)] != 0 && Sum(word: numbers[Self.sumIndex(shard)]).isSound
    }

    /// As noted; what damage left is not negative here.
    func sum(_ shard: Int) -> Sum {
        let sum = Sum(word: numbers[Self.sumIndex(shard)])
        return Sum(bytes: sum.bytes, count: max(0, sum.count))
    }

    func add(_ shard: Int, bytes: Int, count: Int) {
        numbers.change(Self.sumIndex(shard)) { $0 &+ Sum(bytes: bytes, count: count).word }
    }

    /// Writes what was counted at a time; nil stands for never.
    func set(_ shard: Int, _ sum: Sum, at time: Double?) {
        numbers.change(Self.sumIndex(shard)) { _ in sum.word }
        numbers.change(Self.timeIndex(shard)) { _ in time.map(Self.seconds) ?? 0 }
    }

    /// Writes what was counted at a time, unless somebody noted something since the numbers were `old`; whether it did.
    func set(_ shard: Int, _ sum: Sum, inPlaceOf old: Sum, at time: Double) -> Bool {
        guard numbers.change(Self.sumIndex(shard), { $0 == old.word ? sum.word : nil }) else { return false }
        numbers.change(Self.timeIndex(shard)) { _ in Self.seconds(time) }
        return true
    }

    /// Whether the last count is `interval` seconds or more from now; a count in the future is one by another clock.
    func isOutdated(_ shard: Int, at now: Double, after interval: Double) -> Bool {
        Self.isOutdated(Double(numbers[Self.timeIndex(shard)]), at: now, after: interval)
    }

    /// The same of a count at `countedAt`.
    static func isOutdated(_ countedAt: Double, at now: Double, after interval: Double) -> Bool {
        abs(Double(seconds(now)) - countedAt) >= interval
    }

    /// Never 0, and no trap for times that no clock should give.
    private static func seconds(_ time: Double) -> Int64 { time > 1 && time < 1e15 ? Int64(time) : 1 }

    /// Whether stores evict although no limit is passed: from passing one to reaching the low-water mark.
    var isDraining: Bool {
        get { numbers[1] != 0 }
        set { numbers.change(1) { _ in newValue ? 1 : 0 } }
    }

    /// Of all shards.
    var total: Sum { survey(0).total }

    /// What every store asks, told by reading the file once.
    struct Survey {
        /// Of all shards.
        var total = Sum(bytes: 0, count: 0)
        /// Whether each shard was counted.
        var isKnown = true
        /// The one shard that is asked about: whether it was counted, and when.
        var isShardKnown = false
        var countedAt = 0.0
        var isDraining = false
    }

    /// The sum of all shards, and what is noted of one.
    func survey(_ asked: Int) -> Survey {
        let all = numbers.all
        var survey = Survey()
        var unknown = 0
        for shard in 0..<Self.shards {
            let sum = Sum(word: all[Self.sumIndex(shard)])
            unknown |= sum.isSound && all[Self.timeIndex(shard)] != 0 ? 0 : 1
            survey.total.bytes &+= sum.bytes
            survey.total.count &+= max(0, sum.count)
        }
        survey.isKnown = unknown == 0
        survey.countedAt = Double(all[Self.timeIndex(asked)])
        survey.isShardKnown = survey.countedAt != 0 && Sum(word: all[Self.sumIndex(asked)]).isSound
        survey.isDraining = all[1] != 0
        return survey
    }

    /// For each shard, whether it has entries, or was not counted.
    var mayHoldEntries: [Bool] {
        let all = numbers.all
        return (0..<Self.shards).map { shard in
            let sum = Sum(word: all[Self.sumIndex(shard)])
            return sum.count > 0 || !sum.isSound || all[Self.timeIndex(shard)] == 0
        }
    }

    var firstUnknown: Int? {
        let all = numbers.all
        return (0..<Self.shards).first {
            all[Self.timeIndex($0)] == 0 || !Sum(word: all[Self.sumIndex($0)]).isSound
        }
    }
}
