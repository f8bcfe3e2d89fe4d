// SPDX-License-Identifier: MIT
internal import WICore

/// Entries by key in the order of their last use. The list is threaded through an array, so that a use moves no memory.
struct RecencyList: Sendable {
    private struct Node: Sendable {
        var key: CacheKey
        var entry: MemoryEntry
        var cost: Int
        var previous: Int32
        var next: Int32
    }

    private static let none: Int32 = -1
    private var places: [CacheKey: Int32] = [:]
    private var nodes: [Node?] = []
    private var free: [Int32] = []
    private var first = none
    private var last = none
    /// The cost of all entries.
    private(set) var cost = 0

    var count: Int { places.count }

    func contains(_ key: CacheKey) -> Bool { places[key] != nil }

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
        let node = Node(key: key, entry: entry, cost: cost, previous: Self.none, next: Self.none)
        let place: Int32
        if let reused = free.popLast() {
            place = reused
            nodes[Int(place)] = node
        } else {
            place = Int32(nodes.count)
            nodes.append(node)
        }
        places[key] = place
        self.cost += cost
        linkFirst(place)
        return replaced
    }

    mutating func remove(_ key: CacheKey) -> MemoryEntry? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        return take(place)
    }

    /// Removes the entry whose last use is the longest ago.
    mutating func removeLast() -> MemoryEntry? {
        guard last != Self.none, let key = nodes[Int(last)]?.key else { return nil }
        return remove(key)
    }

    private mutating func take(_ place: Int32) -> MemoryEntry? {
        guard let node = nodes[Int(place)] else { return nil }
        nodes[Int(place)] = nil
        free.append(place)
        cost -= node.cost
        return node.entry
    }

    private mutating func unlink(_ place: Int32) {
        guard let node = nodes[Int(place)] else { return }
        if node.previous != Self.none {
            nodes[Int(node.previous)]?.next = node.next
        } else {
            first = node.next
        }
        if node.next != Self.none {
            nodes[Int(node.next)]?.previous = node.previous
        } else {
            last = node.previous
        }
    }

    private mutating func linkFirst(_ place: Int32) {
        nodes[Int(place)]?.previous = Self.none
        nodes[Int(place)]?.next = first
        if first != Self.none { nodes[Int(first)]?.previous = place } else { last = place }
        first = place
    }
}
