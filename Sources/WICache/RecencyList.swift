// SPDX-License-Identifier: MIT
internal import WICore

/// Entries by key in the order of their last use. The list is threaded through an array, so that a use moves no memory.
struct RecencyList: Sendable {
    /// Neighbours in the list, without references: moving an entry to the front counts none.
    private struct Link: Sendable {
        var previous: Int32
        var next: Int32
    }

    private struct Node: Sendable {
        let key: CacheKey
        let entry: MemoryEntry
        let cost: Int
    }

    private static let none: Int32 = -1
    private var places: [CacheKey: Int32] = [:]
    private var nodes: [Node?] = []
    private var links: [Link] = []
    private var free: [Int32] = []
    private var first = none
    private var last = none
    /// The cost of all entries.
    private(set) var cost = 0

    var count: Int { places.count }

    func contains(_ key: CacheKey) -> Bool { places[key] != nil }

    /// The entry, where it stays.
    func peek(_ key: CacheKey) -> MemoryEntry? { places[key].flatMap { nodes[Int($0)]?.entry } }

    /// The entry, which becomes the first.
    mutating func use(_ key: CacheKey) -> MemoryEntry? {
        guard let place = places[key] else { return nil }
        if place != first {
            unlink(place)
            linkFirst(place)
        }
        return nodes[Int(place)]?.entry
    }

    /// Puts an entry first; gives the one that it replaces.
    mutating func put(_ key: CacheKey, _ entry: MemoryEntry, cost: Int) -> MemoryEntry? {
        let replaced = remove(key)
        let node = Node(key: key, entry: entry, cost: cost)
        let place: Int32
        if let reused = free.popLast() {
            place = reused
            nodes[Int(place)] = node
        } else {
            place = Int32(nodes.count)
            nodes.append(node)
            links.append(Link(previous: Self.none, next: Self.none))
        }
        places[key] = place
        self.cost += cost
        linkFirst(place)
        return replaced
    }

    /// Puts an entry in place of one of the same cost, where that stands; gives the old one.
    mutating func exchange(_ key: CacheKey, _ entry: MemoryEntry) -> MemoryEntry? {
        guard let place = places[key], let old = nodes[Int(place)] else { return nil }
        nodes[Int(place)] = Node(key: old.key, entry: entry, cost: old.cost)
        return old.entry
    }

    mutating func remove(_ key: CacheKey) -> MemoryEntry? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        guard let node = nodes[Int(place)] else { return nil }
        nodes[Int(place)] = nil
        free.append(place)
        cost -= node.cost
        return node.entry
    }

    /// Removes the entry whose last use is the longest ago.
    mutating func removeLast() -> MemoryEntry? {
        guard last != Self.none, let key = nodes[Int(last)]?.key else { return nil }
        return remove(key)
    }

    private mutating func unlink(_ place: Int32) {
        let link = links[Int(place)]
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

    private mutating func linkFirst(_ place: Int32) {
        links[Int(place)] = Link(previous: Self.none, next: first)
        if first != Self.none { links[Int(first)].previous = place } else { last = place }
        first = place
    }
}
