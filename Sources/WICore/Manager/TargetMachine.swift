// SPDX-License-Identifier: MIT

/// The life of one target, shared by every request for it: from the cache or the loader to pixels, and into the caches.
///
/// A pure value: it takes events and returns actions, which the shell performs after unlocking. Each subscriber is
/// finished exactly once, by a ``Action/finish(_:_:)``; after the last one has gone nothing is begun any more.
struct TargetMachine: Hashable, Sendable {
    /// What of the way applies to this target.
    struct Plan: Hashable, Sendable {
        /// Whether the target is looked for in a cache that takes time.
        var queriesTarget = true
        /// Whether the original is looked for, because the target differs from it.
        var queriesOriginal = false
        /// Whether the loader may be asked; if not, why.
        var refusal: ImageError?
        var transforms = false
        /// Whether anything is written to a cache that takes time.
        var storesOriginal = true
        var storesTarget = true
    }

    /// Where bytes to decode came from.
    enum Origin: Hashable, Sendable {
        case target
        case original
        case loader
    }

    enum Phase: Hashable, Sendable {
        case idle
        case queryingTarget
        case queryingOriginal
        case loading
        case decoding(Origin)
        case transforming(Origin)
        case storing
        case ended
    }

    enum Event: Hashable, Sendable {
        case start
        /// The image turned out to be in memory when the work was to begin.
        case foundInMemory
        case found
        case missed
        case loadedBytes
        case loadedImage
        case decoded
        case transformed
        case stored
        /// The stage that is under way failed.
        case failed(ImageError)
        case leave(SubscriberID)
        case setPriority(LoadPriority, SubscriberID)
        case shutdown
    }

    enum Action: Hashable, Sendable {
        case queryTarget
        case queryOriginal
        case load
        case decode(Origin)
        case transform
        /// Removes a cached entry that turned out not to be decodable.
        case removeEntry(Origin)
        case storeInMemory
        case store(original: Bool, target: Bool)
        /// Ends the stage that is under way: nobody wants its result.
        case cancelWork
        case setPriority(LoadPriority)
        /// Takes the target out of the table: later requests begin anew.
        case retire
        case finish(Set<SubscriberID>, Outcome)
    }

    private(set) var plan: Plan
    private(set) var phase = Phase.idle
    private(set) var subscribers = Subscribers()
    private var announced: LoadPriority?

    init(_ plan: Plan) { self.plan = plan }

    /// Whether the work is over: nothing is under way and nothing will be.
    var hasEnded: Bool { phase == .ended }

    /// Adds a subscriber; false when the image was already given out, so that the request must begin anew.
    mutating func join(_ id: SubscriberID, _ wish: Subscribers.Wish) -> (accepted: Bool, actions: [Action]) {
        switch phase {
        case .storing, .ended: return (false, [])
        case .idle:
            subscribers.add(id, wish)
            announced = subscribers.priority
            return (true, [])
        default:
            subscribers.add(id, wish)
            return (true, announcePriority())
        }
    }

    mutating func handle(_ event: Event) -> [Action] {
        guard phase != .ended else { return [] }
        switch event {
        case .leave(let id): return leave(id)
        case .setPriority(let priority, let id):
            subscribers.setPriority(priority, of: id)
            return announcePriority()
        case .shutdown: return shutdown()
        default: return advance(event)
        }
    }

    // MARK: - The way

    private mutating func advance(_ event: Event) -> [Action] {
        switch (phase, event) {
        case (.idle, .foundInMemory):
            phase = .ended
            return [.retire, .finish(subscribers.takeAll(), .image)]
        case (.idle, .start):
            return plan.queriesTarget ? go(.queryingTarget, .queryTarget) : afterTargetMiss()
        case (.queryingTarget, .found): return go(.decoding(.target), .decode(.target))
        case (.queryingTarget, .missed), (.queryingTarget, .failed): return afterTargetMiss()
        case (.queryingOriginal, .found): return go(.decoding(.original), .decode(.original))
        case (.queryingOriginal, .missed), (.queryingOriginal, .failed): return afterOriginalMiss()
        case (.loading, .loadedBytes): return go(.decoding(.loader), .decode(.loader))
        case (.loading, .loadedImage): return afterDecode(.loader, original: false)
        case (.decoding(let origin), .decoded): return afterDecode(origin, original: origin == .loader)
        case (.decoding(.target), .failed(let error)) where !error.isCancellation:
            return [.removeEntry(.target)] + afterTargetMiss()
        case (.decoding(.original), .failed(let error)) where !error.isCancellation:
            return [.removeEntry(.original)] + afterOriginalMiss()
        case (.transforming(let origin), .transformed):
            return ready(storesOriginal: origin == .loader, target: true)
        case (.storing, .stored), (.storing, .failed): return afterStore()
        case (_, .failed(let error)): return fail(error)
        default: return []
        }
    }

    private mutating func go(_ next: Phase, _ action: Action) -> [Action] {
        phase = next
        return [action]
    }

    private mutating func afterTargetMiss() -> [Action] {
        plan.queriesOriginal ? go(.queryingOriginal, .queryOriginal) : afterOriginalMiss()
    }

    private mutating func afterOriginalMiss() -> [Action] {
        if let refusal = plan.refusal { return fail(refusal) }
        return go(.loading, .load)
    }

    private mutating func afterDecode(_ origin: Origin, original: Bool) -> [Action] {
        if plan.transforms, origin != .target {
            // A picture that the loader made itself has no bytes to keep as an original.
            if origin == .loader, !original { plan.storesOriginal = false }
            return go(.transforming(origin), .transform)
        }
        return ready(storesOriginal: original, target: origin != .target)
    }

    private mutating func ready(storesOriginal: Bool, target: Bool) -> [Action] {
        let original = storesOriginal && plan.storesOriginal
        let target = target && plan.storesTarget
        guard original || target else {
            phase = .ended
            return [.storeInMemory, .retire, .finish(subscribers.takeAll(), .image)]
        }
        phase = .storing
        let answered = subscribers.takeAll { !$0.waitsForStore }
        let finish: [Action] = answered.isEmpty ? [] : [.finish(answered, .image)]
        return [.storeInMemory, .retire] + finish + [.store(original: original, target: target)]
    }

    private mutating func afterStore() -> [Action] {
        phase = .ended
        let waiting = subscribers.takeAll()
        return waiting.isEmpty ? [] : [.finish(waiting, .image)]
    }

    private mutating func fail(_ error: ImageError) -> [Action] {
        phase = .ended
        return [.retire, .finish(subscribers.takeAll(), .failure(error))]
    }

    // MARK: - Coming and going

    private mutating func leave(_ id: SubscriberID) -> [Action] {
        guard subscribers.remove(id) else { return [] }
        let finish = Action.finish([id], .failure(.cancelled(.request)))
        // The image is there: it is stored even when nobody waits for that any more.
        if phase == .storing { return [finish] }
        guard subscribers.isEmpty else { return [finish] + announcePriority() }
        let wasIdle = phase == .idle
        phase = .ended
        return [finish, .retire] + (wasIdle ? [] : [.cancelWork])
    }

    private mutating func shutdown() -> [Action] {
        // Stores are drained, and those who wait for one have their image then.
        guard phase != .storing else { return [] }
        let wasIdle = phase == .idle
        phase = .ended
        let finish = Action.finish(subscribers.takeAll(), .failure(.shutDown(nil)))
        return [.retire] + (wasIdle ? [] : [.cancelWork]) + [finish]
    }

    private mutating func announcePriority() -> [Action] {
        guard let priority = subscribers.priority, priority != announced else { return [] }
        announced = priority
        return [.setPriority(priority)]
    }
}

extension ImageError {
    var isCancellation: Bool { code == .cancelled || code == .shutDown }
}
