// SPDX-License-Identifier: MIT

/// The life of one load, shared by every target that is made of the same bytes.
///
/// A pure value, as ``TargetMachine``: each subscriber is delivered to or let go exactly once. What was loaded is kept
/// until the last subscriber has let go of it, that is until it is in the cache: who comes in between is served from it
/// and does not load again.
struct DownloadMachine: Hashable, Sendable {
    enum Event: Hashable, Sendable {
        /// The loader has ended, well or not; its result is kept for those who come late where there is one.
        case ended(keeps: Bool)
        case leave(SubscriberID)
        case setPriority(LoadPriority, SubscriberID)
    }

    enum Action: Hashable, Sendable {
        case start(LoadPriority)
        case cancel
        case setPriority(LoadPriority)
        /// Takes the load out of the table: later requests load anew.
        case retire
        /// Gives the result to these subscribers.
        case deliver(Set<SubscriberID>)
    }

    private enum Phase: Hashable, Sendable {
        case idle
        case loading
        case kept
        case ended
    }

    private var phase = Phase.idle
    private(set) var subscribers = Subscribers()
    private var announced: LoadPriority?

    var hasEnded: Bool { phase == .ended }

    /// Adds a subscriber; the first one starts the load, one that comes late is served at once. False when the load is
    /// over.
    mutating func join(_ id: SubscriberID, _ priority: LoadPriority) -> (accepted: Bool, actions: [Action]) {
        guard phase != .ended else { return (false, []) }
        subscribers.add(id, Subscribers.Wish(priority: priority, waitsForStore: false))
        switch phase {
        case .idle:
            phase = .loading
            announced = priority
            return (true, [.start(priority)])
        case .kept: return (true, [.deliver([id])])
        default: return (true, announcePriority())
        }
    }

    mutating func handle(_ event: Event) -> [Action] {
        guard phase != .ended else { return [] }
        switch event {
        case .ended(let keeps):
            guard phase == .loading else { return [] }
            phase = keeps ? .kept : .ended
            return keeps ? [.deliver(subscribers.ids)] : [.retire, .deliver(subscribers.takeAll())]
        case .leave(let id):
            guard subscribers.remove(id) else { return [] }
            guard subscribers.isEmpty else { return announcePriority() }
            let isLoading = phase == .loading
            phase = .ended
            return isLoading ? [.retire, .cancel] : [.retire]
        case .setPriority(let priority, let id):
            subscribers.setPriority(priority, of: id)
            return announcePriority()
        }
    }

    private mutating func announcePriority() -> [Action] {
        guard phase == .loading, let priority = subscribers.priority, priority != announced else { return [] }
        announced = priority
        return [.setPriority(priority)]
    }
}
