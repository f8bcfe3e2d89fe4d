// SPDX-License-Identifier: MIT
internal import RuntimeShim
internal import WICore

/// Bytes and entries of the 256 shards, in a small file that all processes map: a short-lived one knows at once whether the
/// cache is full.
///
/// A hint, not a truth: a process that is killed between a rename and its note leaves it a little off. Whoever lists a shard
/// writes what it found there.
///
/// `@unchecked Sendable`: the memory is only touched by atomic operations and lives as long as the object.
final class DiskTotals: @unchecked Sendable {
    static let shards = 256
    /// A mark, then for each shard: bytes, entries, and whether both are known.
    private static let words = 1 + 3 * shards
    private static let mark: Int64 = 0x5749_544F_5441_4C31
    private static let size = words * 8

    private let numbers: UnsafeMutablePointer<Int64>
    private let isMapped: Bool

    /// The totals in the file at `path`. Where it cannot be mapped, they are this process's own, and unknown at first.
    ///
    /// - Parameter isFresh: whether the cache is known to be empty, so that a new file's zeros are the truth.
    init(path: String, isFresh: Bool) {
        if let mapped = wi_map_shared(path, Self.size) {
            numbers = mapped.bindMemory(to: Int64.self, capacity: Self.words)
            isMapped = true
        } else {
            numbers = .allocate(capacity: Self.words)
            numbers.initialize(repeating: 0, count: Self.words)
            isMapped = false
        }
        guard wi_shared_load(numbers) != Self.mark else { return }
        for shard in 0..<Self.shards { set(shard, bytes: 0, count: 0, isKnown: isFresh) }
        wi_shared_store(numbers, Self.mark)
    }

    deinit {
        if isMapped { wi_unmap(numbers, Self.size) } else { numbers.deallocate() }
    }

    private func word(_ shard: Int, _ index: Int) -> UnsafeMutablePointer<Int64> {
        numbers + 1 + 3 * shard + index
    }

    /// Whether the shard was counted, and its numbers make sense: bytes without entries, or fewer than none, come from damage.
    func isKnown(_ shard: Int) -> Bool {
        let bytes = wi_shared_load(word(shard, 0)), count = wi_shared_load(word(shard, 1))
        return wi_shared_load(word(shard, 2)) != 0 && bytes >= 0 && count >= 0 && (bytes > 0) == (count > 0)
    }

    func bytes(_ shard: Int) -> Int { max(0, Int(wi_shared_load(word(shard, 0)))) }

    func count(_ shard: Int) -> Int { max(0, Int(wi_shared_load(word(shard, 1)))) }

    func add(_ shard: Int, bytes: Int, count: Int) {
        wi_shared_add(word(shard, 0), Int64(bytes))
        wi_shared_add(word(shard, 1), Int64(count))
    }

    func set(_ shard: Int, bytes: Int, count: Int, isKnown: Bool = true) {
        wi_shared_store(word(shard, 0), Int64(bytes))
        wi_shared_store(word(shard, 1), Int64(count))
        wi_shared_store(word(shard, 2), isKnown ? 1 : 0)
    }

    /// Of all shards.
    var total: (bytes: Int, count: Int) {
        (0..<Self.shards).reduce((0, 0)) { ($0.0 &+ bytes($1), $0.1 &+ count($1)) }
    }

    var firstUnknown: Int? { (0..<Self.shards).first { !isKnown($0) } }
}
