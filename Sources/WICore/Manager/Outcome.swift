// SPDX-License-Identifier: MIT

/// How a request ends, without its payload: in exactly one of these ways.
enum Outcome: Hashable, Sendable {
    case image
    /// A picture that is stale, and why it could not be refreshed where that was tried.
    case stale(ImageError?)
    case failure(ImageError)
}

/// One subscriber of shared work.
struct SubscriberID: Hashable, Sendable {
    let number: UInt64
}

/// Who wants a piece of shared work, and how urgently.
struct Subscribers: Hashable, Sendable {
    struct Wish: Hashable, Sendable {
        var priority: LoadPriority
        var waitsForStore: Bool
    }

    private(set) var wishes: [SubscriberID: Wish] = [:]

    var isEmpty: Bool { wishes.isEmpty }
    var ids: Set<SubscriberID> { Set(wishes.keys) }
    /// Shared work runs at the highest priority among its subscribers.
    var priority: LoadPriority? { wishes.values.map(\.priority).max() }

    mutating func add(_ id: SubscriberID, _ wish: Wish) { wishes[id] = wish }
    mutating func remove(_ id: SubscriberID) -> Bool { wishes.removeValue(forKey: id) != nil }
    mutating func setPriority(_ priority: LoadPriority, of id: SubscriberID) {
        wishes[id]?.priority = priority
    }

    /// Takes out those that match, and gives them.
    mutating func takeAll(where matches: (Wish) -> Bool = { _ in true }) -> Set<SubscriberID> {
        let taken = wishes.filter { matches($0.value) }
        for id in taken.keys { wishes[id] = nil }
        return Set(taken.keys)
    }
}
