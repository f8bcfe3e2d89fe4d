// SPDX-License-Identifier: MIT
internal import Synchronization
public import WICore

/// Decoded pictures by key, least recently used first out. Calls for one picture take constant time; all are safe from any
/// thread.
///
/// When memory gets short (by the limits and events of the control group, or by the system's pressure stall information) the
/// caches of the process give way by themselves.
public final class MemoryCache: Sendable {
    private let state: Locked<MemoryStore>
    private let time: TimeSource
    /// Whether the process's thread for such things knows of the cache, or need not.
    private let isEnrolled: Atomic<Bool>

    /// A cache with these limits.
    ///
    /// - Parameters:
    ///   - limits: how much is kept.
    ///   - time: the clock for ``Limits/timeToLive``. Default the system's.
    ///   - yieldsUnderPressure: whether it gives way by itself when memory is short, and drops what has outlived its time; from
    ///     the first store on, a thread that all caches share sees to that. Default true; ``relieve(_:)`` and ``removeExpired()`` do the same by hand.
    public init(limits: Limits = Limits(), time: TimeSource = .system, yieldsUnderPressure: Bool = true) {
        state = Locked(MemoryStore(limits: limits))
        self.time = time
        isEnrolled = Atomic(!yieldsUnderPressure)
    }

    /// Changes the store; what goes is let go of after the lock.
    private func change<Result: Sendable>(
        _ body: (inout MemoryStore, inout MemoryStore.Gone) -> Result
    ) -> Result {
        let (result, gone) = state.withLock { store -> (Result, MemoryStore.Gone) in
            var gone = MemoryStore.Gone()
            let result = body(&store, &gone)
            return (result, gone)
        }
        _ = gone
        return result
    }

    /// The limits; lowering them evicts at once.
    public var limits: Limits {
        get { state.withLock { $0.limits } }
        set {
            change { store, gone in
                store.limits = newValue
                store.evict(to: newValue.cost, newValue.count, gone: &gone)
            }
        }
    }

    /// The picture under `key`, which becomes the most recently used.
    public func entry(for key: CacheKey) -> MemoryEntry? {
        change { store, gone in
            store.entry(for: key, at: store.limits.timeToLive == nil ? nil : time.monotonic(), gone: &gone)
        }
    }

    /// Keeps a picture, and evicts others for it. One that is too large is not kept, and what it would replace goes.
    public func store(_ entry: MemoryEntry, for key: CacheKey) {
        if !isEnrolled.load(ordering: .relaxed), !isEnrolled.exchange(true, ordering: .relaxed) {
            Upkeep.shared.add(self)
        }
        change { store, gone in
            let now = store.limits.timeToLive == nil ? .zero : time.monotonic()
            store.put(entry, for: key, at: now, gone: &gone)
        }
    }

    /// Replaces what is known about a picture; not a use. One that is not there is no error.
    public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) {
        change { store, gone in gone.add(store.exchangeMetadata(metadata, for: key)) }
    }

    /// Whether the picture is there; not a use.
    public func contains(_ key: CacheKey) -> Bool { state.withLock { $0.list.contains(key) } }

    /// Removes a picture.
    public func remove(_ key: CacheKey) { change { store, gone in store.remove(key, gone: &gone) } }

    /// Removes all pictures.
    public func removeAll() {
        let removed = state.withLock { store in
            defer { store.clear() }
            return store.list
        }
        _ = removed
    }

    /// Removes the pictures whose keys `isUnwanted` picks, which is called under the cache's lock and must not call the cache.
    /// Takes time with the number of pictures.
    ///
    /// - Returns: how many went.
    @discardableResult
    public func removeAll(where isUnwanted: (CacheKey) -> Bool) -> Int {
        change { store, gone in store.removeAll(where: isUnwanted, gone: &gone) }
    }

    /// Removes what has outlived ``Limits/timeToLive``.
    public func removeExpired() {
        change { store, gone in
            guard store.limits.timeToLive != nil else { return }
            store.removeExpired(at: time.monotonic(), gone: &gone)
        }
    }

    /// Evicts until no more than `cost` is left.
    public func trim(to cost: ByteCount) {
        change { store, gone in store.evict(to: cost, .max, gone: &gone) }
    }

    /// Gives way to others: the half of the pictures, by bytes, whose last use is the longest ago, or all where memory is
    /// very short.
    public func relieve(_ pressure: MemoryPressure) {
        change { store, gone in
            let kept = pressure >= .critical ? 0 : store.list.cost / 2
            store.evict(to: ByteCount(kept), pressure >= .critical ? 0 : .max, gone: &gone)
        }
    }

    /// What the cache holds, and how it was used.
    public var statistics: Statistics {
        state.withLock { store in
            Statistics(
                count: store.list.count, cost: ByteCount(store.list.cost), hits: store.hits,
                misses: store.misses, evictions: store.evictions)
        }
    }
}
