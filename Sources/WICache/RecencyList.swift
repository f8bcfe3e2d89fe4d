// SPDX-License-Identifier: MIT
internal import WICore

/// Entries by key in the order of their last use. The list is threaded through an array, so that a use moves no memory.
struct RecencyList: Sendable {
    /// Neighbours in the list, without references: moving an entry to the front counts none.
    private struct Link: Sendable {
        var previous: Int32
        var next: Int32
    }

    /// What is looked at only when entries come and go.
    private struct Owner: Sendable {
        let key: CacheKey
        let cost: Int
        let storedAt: Duration
    }

    /// What left the list.
    struct Removed: Sendable {
        let key: CacheKey
        let entry: MemoryEntry
        let storedAt: Duration
    }

    /// Entries at most: places have 32 bits.
    static let capacity = 1 << 30
    private static let none: Int32 = -1
    private var index = PlaceIndex()
    private var owners: [Owner?] = []
    /// Apart from their keys: a hit counts one reference, that of the entry.
    private var entries: [MemoryEntry?] = []
    private var links: [Link] = []
    private var free: [Int32] = []
    private var first = none
    private var last = none
    /// The cost of all entries.
    private(set) var cost = 0

    var count: Int { index.count }

    private func place(of key: CacheKey) -> Int? {
        index.find(key.precomputedHash) { owners[$0]?.key == key }
    }

    func contains(_ key: CacheKey) -> Bool { place(of: key) != nil }

    /// The entry, where it stays.
    func peek(_ key: CacheKey) -> MemoryEntry? { place(of: key).flatMap { entries[$0] } }

    /// When the entry was stored.
    func storedAt(_ key: CacheKey) -> Duration? { place(of: key).flatMap { owners[$0]?.storedAt } }

    /// The keys that `matches` picks.
    func keys(where matches: (CacheKey, Duration) -> Bool) -> [CacheKey] {
        owners.compactMap { owner in
            owner.flatMap { matches($0.key, $0.storedAt) ? $0.key : nil }
        }
    }

    /// The entry, which becomes the first.
    mutating func use(_ key: CacheKey) -> MemoryEntry? {
        guard let place = place(of: key) else { return nil }
        if place != Int(first) {
            unlink(place)
            linkFirst(place)
        }
        return entries[place]
    }

    /// Puts an entry first; gives the one that it replaces.
    mutating func put(
        _ key: CacheKey, _ entry: MemoryEntry, cost: Int, storedAt: Duration = .zero
    ) -> MemoryEntry? {
        if let place = place(of: key), let owner = owners[place] {
            owners[place] = Owner(key: key, cost: cost, storedAt: storedAt)
            self.cost += cost - owner.cost
            if place != Int(first) {
                unlink(place)
                linkFirst(place)
            }
            return swap(place, entry)
        }
        let place = newPlace(Owner(key: key, cost: cost, storedAt: storedAt), entry)
        index.insert(place, hash: key.precomputedHash)
        self.cost += cost
        linkFirst(place)
        return nil
    }

    private mutating func newPlace(_ owner: Owner, _ entry: MemoryEntry) -> Int {
        if let reused = free.popLast() {
            owners[Int(reused)] = owner
            entries[Int(reused)] = entry
            return Int(reused)
        }
        owners.append(owner)
        entries.append(entry)
        links.append(Link(previous: Self.none, next: Self.none))
        return owners.count - 1
    }

    /// Puts an entry in place of one of the same cost, where that stands; gives the old one.
    mutating func exchange(_ key: CacheKey, _ entry: MemoryEntry) -> MemoryEntry? {
        place(of: key).flatMap { swap($0, entry) }
    }

    private mutating func swap(_ place: Int, _ entry: MemoryEntry?) -> MemoryEntry? {
        let old = entries[place]
        entries[place] = entry
        return old
    }

    mutating func remove(_ key: CacheKey) -> MemoryEntry? {
        guard let place = place(of: key) else { return nil }
        return take(place)?.entry
    }

    /// Removes the entry whose last use is the longest ago.
    mutating func removeLast() -> Removed? {
        last == Self.none ? nil : take(Int(last))
    }

    private mutating func take(_ place: Int) -> Removed? {
        guard let owner = owners[place] else { return nil }
        index.remove(place, hash: owner.key.precomputedHash)
        unlink(place)
        owners[place] = nil
        free.append(Int32(place))
        cost -= owner.cost
        return swap(place, nil).map { Removed(key: owner.key, entry: $0, storedAt: owner.storedAt) }
    }

    private mutating func unlink(_ place: Int) {
        let link = links[place]
        if link.previous != Self.none {
            links[Int(link.previous)].next = link.next
        } else {
            first = link.next
        }
        if link.next != Self.none {
            links[Int(link.next)].previous = link.previous
        } else {
            last = link.previous
        }
    }

    private mutating func linkFirst(_ place: Int) {
        links[place] = Link(previous: Self.none, next: first)
        if first != Self.none { links[Int(first)].previous = Int32(place) } else { last = Int32(place) }
        first = Int32(place)
    }
}
