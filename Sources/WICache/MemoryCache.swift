// SPDX-License-Identifier: MIT
public import WICore

/// Decoded pictures by key, least recently used first out. Every call takes constant time and is safe from any thread.
public final class MemoryCache: Sendable {
    /// How much a memory cache keeps.
    public struct Limits: Hashable, Sendable {
        /// Bytes of pixels and what belongs to them. Default: a quarter of what the process may use.
        public var cost: ByteCount
        /// Pictures. Default: no limit.
        public var count = Int.max
        /// A picture that takes more than this share of the cost limit is not kept: it would push out everything else.
        /// Default one half.
        public var largestShare = 0.5

        /// The defaults.
        public init() { cost = ByteCount(ProcessMemory.limit().bytes / 4) }

        /// Limits with this cost.
        public init(cost: ByteCount, count: Int = .max, largestShare: Double = 0.5) {
            self.cost = cost
            self.count = count
            self.largestShare = largestShare
        }
    }

    /// What a memory cache holds, and how it was used.
    public struct Statistics: Hashable, Sendable {
        /// Pictures.
        public var count = 0
        /// Bytes.
        public var cost = ByteCount.zero
        /// Look-ups that found a picture.
        public var hits = 0
        /// Look-ups that found none.
        public var misses = 0
        /// Pictures that had to go for others.
        public var evictions = 0
    }

    private struct State: Sendable {
        var list = RecencyList()
        var limits: Limits
        var hits = 0
        var misses = 0
        var evictions = 0

        mutating func evict(to cost: ByteCount, _ count: Int, into gone: inout Gone) {
            let count = min(count, RecencyList.capacity)
            while list.cost > cost.bytes || list.count > count, let entry = list.removeLast() {
                gone.add(entry)
                evictions += 1
            }
        }
    }

    /// Entries whose last reference is to go after the lock, since freeing pixels takes time. One needs no array.
    private struct Gone: Sendable {
        private var first: MemoryEntry?
        private var others: [MemoryEntry] = []

        mutating func add(_ entry: MemoryEntry?) {
            guard let entry else { return }
            if first == nil { first = entry } else { others.append(entry) }
        }
    }

    private let state: Locked<State>

    /// A cache with these limits.
    public init(limits: Limits = Limits()) { state = Locked(State(limits: limits)) }

    /// The limits; lowering them evicts at once.
    public var limits: Limits {
        get { state.withLock { $0.limits } }
        set {
            let gone = state.withLock { state in
                var gone = Gone()
                state.limits = newValue
                state.evict(to: newValue.cost, newValue.count, into: &gone)
                return gone
            }
            _ = gone
        }
    }

    /// The picture under `key`, which becomes the most recently used.
    public func entry(for key: CacheKey) -> MemoryEntry? {
        state.withLock { state in
            guard let entry = state.list.use(key) else {
                state.misses &+= 1
                return nil
            }
            state.hits &+= 1
            return entry
        }
    }

    /// Keeps a picture, and evicts others for it. One that is too large is not kept, and what it would replace goes.
    public func store(_ entry: MemoryEntry, for key: CacheKey) {
        let cost = ByteCount(max(0, entry.image.memoryCost.bytes))
        let gone = state.withLock { state in
            var gone = Gone()
            let largest = Double(state.limits.cost.bytes) * state.limits.largestShare
            let isKept =
                Double(cost.bytes) <= largest
                && !state.list.cost.addingReportingOverflow(cost.bytes).overflow
            guard isKept else {
                gone.add(state.list.remove(key))
                return gone
            }
            gone.add(state.list.put(key, entry, cost: cost.bytes))
            state.evict(to: state.limits.cost, state.limits.count, into: &gone)
            return gone
        }
        _ = gone
    }

    /// Replaces what is known about a picture; not a use. One that is not there is no error.
    public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) {
        let replaced = state.withLock { state -> MemoryEntry? in
            guard let old = state.list.peek(key) else { return nil }
            return state.list.exchange(key, MemoryEntry(image: old.image, metadata: metadata))
        }
        _ = replaced
    }

    /// Whether the picture is there; not a use.
    public func contains(_ key: CacheKey) -> Bool { state.withLock { $0.list.contains(key) } }

    /// Removes a picture.
    public func remove(_ key: CacheKey) {
        let removed = state.withLock { $0.list.remove(key) }
        _ = removed
    }

    /// Removes all pictures.
    public func removeAll() {
        let removed = state.withLock { state in
            defer { state.list = RecencyList() }
            return state.list
        }
        _ = removed
    }

    /// Evicts until no more than `cost` is left: what to do when memory is short.
    public func trim(to cost: ByteCount) {
        let gone = state.withLock { state in
            var gone = Gone()
            state.evict(to: cost, .max, into: &gone)
            return gone
        }
        _ = gone
    }

    /// What the cache holds, and how it was used.
    public var statistics: Statistics {
        state.withLock { state in
            Statistics(
                count: state.list.count, cost: ByteCount(state.list.cost), hits: state.hits,
                misses: state.misses,
                evictions: state.evictions)
        }
    }
}
