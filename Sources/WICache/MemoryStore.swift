// SPDX-License-Identifier: MIT
internal import WICore

/// What a memory cache guards with its lock: the entries in the order of their use, and those that had to go.
struct MemoryStore: Sendable {
    /// Entries whose last reference is to go after the lock, since freeing pixels takes time. One needs no array.
    struct Gone: Sendable {
        private var first: MemoryEntry?
        private var others: [MemoryEntry] = []

        mutating func add(_ entry: MemoryEntry?) {
            guard let entry else { return }
            if first == nil { first = entry } else { others.append(entry) }
        }
    }

    private(set) var list = RecencyList()
    private var evicted = EvictedPictures()
    var limits: MemoryCache.Limits
    private(set) var hits = 0
    private(set) var misses = 0
    private(set) var evictions = 0

    init(limits: MemoryCache.Limits) { self.limits = limits }

    mutating func entry(for key: CacheKey, at now: Duration?, gone: inout Gone) -> MemoryEntry? {
        if let entry = list.use(key) {
            guard let now, isExpired(list.storedAt(key), now) else {
                hits &+= 1
                return entry
            }
            gone.add(list.remove(key))
        } else if !evicted.isEmpty, let removed = evicted.take(key), !isExpired(removed.storedAt, now) {
            put(removed.entry, for: key, at: removed.storedAt, gone: &gone)
            hits &+= 1
            return removed.entry
        }
        misses &+= 1
        return nil
    }

    mutating func put(_ entry: MemoryEntry, for key: CacheKey, at now: Duration, gone: inout Gone) {
        evicted.remove(key)
        let cost = max(0, entry.image.memoryCost.bytes)
        let isKept =
            Double(cost) <= Double(limits.cost.bytes) * limits.largestShare
            && !list.cost.addingReportingOverflow(cost).overflow
        guard isKept else { return gone.add(list.remove(key)) }
        gone.add(list.put(key, entry, cost: cost, storedAt: now))
        evict(to: limits.cost, limits.count, gone: &gone)
    }

    mutating func evict(to cost: ByteCount, _ count: Int, gone: inout Gone) {
        let count = min(count, RecencyList.capacity)
        while list.cost > cost.bytes || list.count > count, let removed = list.removeLast() {
            gone.add(removed.entry)
            if limits.findsPicturesInUse { evicted.add(removed) }
            evictions &+= 1
        }
    }

    mutating func exchangeMetadata(_ metadata: EntryMetadata, for key: CacheKey) -> MemoryEntry? {
        evicted.remove(key)
        guard let old = list.peek(key) else { return nil }
        return list.exchange(key, MemoryEntry(image: old.image, metadata: metadata))
    }

    mutating func remove(_ key: CacheKey, gone: inout Gone) {
        evicted.remove(key)
        gone.add(list.remove(key))
    }

    mutating func removeAll(where matches: (CacheKey) -> Bool, gone: inout Gone) -> Int {
        evicted.removeAll(where: matches)
        let keys = list.keys { key, _ in matches(key) }
        for key in keys { gone.add(list.remove(key)) }
        return keys.count
    }

    mutating func clear() {
        list = RecencyList()
        evicted = EvictedPictures()
    }

    mutating func removeExpired(at now: Duration, gone: inout Gone) {
        guard limits.timeToLive != nil else { return }
        for key in list.keys(where: { isExpired($1, now) }) { gone.add(list.remove(key)) }
    }

    private func isExpired(_ storedAt: Duration?, _ now: Duration?) -> Bool {
        guard let life = limits.timeToLive, let storedAt, let now else { return false }
        return now - storedAt >= life
    }
}
