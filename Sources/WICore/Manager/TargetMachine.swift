// SPDX-License-Identifier: MIT

/// The life of one target, shared by every request for it: from the cache or the loader to pixels, and into the caches.
///
/// A pure value: it takes events and returns actions, which the shell performs after unlocking. Each subscriber is
/// finished exactly once, by a ``Action/finish(_:_:)``; after the last one has gone nothing is begun any more.
///
/// A cached picture that is stale becomes the *candidate*: the loader is asked whether it is still good, and it is handed over
/// when that is so, or when asking fails and it may still be used then.
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
        /// Whether pixels are wanted, or the bytes alone.
        var decodes = true
        /// Whether anything is written to a cache that takes time.
        var storesOriginal = true
        var storesTarget = true
        /// Whether a plain picture is written that the loader made itself: without bytes of its own it is encoded.
        var storesMadePicture = false
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

    /// How good something found in a cache is. What is no answer at all counts as missed.
    enum Found: Hashable, Sendable {
        case fresh
        case stale(Staleness)
    }

    enum Event: Hashable, Sendable {
        case start
        /// The image turned out to be in memory when the work was to begin.
        case foundInMemory(Found)
        case found(Found)
        case missed
        /// The loader's answer, and whether it may be stored.
        case loadedBytes(isStorable: Bool)
        case loadedImage
        /// Another process has filled the caches meanwhile.
        case filledElsewhere
        /// The candidate is still good, and whether it may go on being stored.
        case notModified(isStorable: Bool)
        /// Pixels are there, and whether the transformer is to be asked.
        case decoded(transforms: Bool)
        case transformed
        case stored
        /// The stage that is under way failed.
        case failed(ImageError)
        case leave(SubscriberID)
        case setPriority(LoadPriority, SubscriberID)
        case shutdown
        /// Ends the work for all its requests.
        case cancelAll
    }

    enum Action: Hashable, Sendable {
        case queryTarget
        case queryOriginal
        /// Asks the loader; with the candidate's validators where there is one.
        case load
        case decode(Origin)
        case transform
        /// Removes a cached entry that turned out not to be decodable.
        case removeEntry(Origin)
        /// Lays the image at hand aside as the candidate, and shows it to the requests.
        case keepCandidate
        /// Makes the candidate the image at hand again.
        case restoreCandidate
        /// Has the server asked once the requests have been answered.
        case refreshInBackground
        case storeInMemory
        case store(original: Bool, target: Bool)
        /// Writes the metadata that came with “not modified” to the stored entries; the target itself where it was not stored.
        case updateStored(storesTarget: Bool)
        /// Removes the stored entries: the server does not want them kept any more.
        case removeStored
        /// Ends the stage that is under way: nobody wants its result.
        case cancelWork
        case setPriority(LoadPriority)
        /// Takes the target out of the table: later requests begin anew.
        case retire
        case finish(Set<SubscriberID>, Outcome)

        /// Whether it changes what a cache that takes time has.
        var isWrite: Bool {
            switch self {
            case .removeEntry, .store, .updateStored, .removeStored: true
            default: false
            }
        }
    }

    private struct Candidate: Hashable, Sendable {
        var staleness: Staleness
        var isFromOriginal: Bool
    }

    private(set) var plan: Plan
    private(set) var phase = Phase.idle
    private(set) var subscribers = Subscribers()
    private var announced: LoadPriority?
    /// What is being decoded came from a cache and is stale.
    private var staleness: Staleness?
    private var candidate: Candidate?
    private var isStorable = true

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
        case .shutdown: return endAll(.shutDown(nil))
        case .cancelAll: return endAll(.cancelled(.request))
        default: return advance(event)
        }
    }

    // MARK: - The way

    private mutating func advance(_ event: Event) -> [Action] {
        switch (phase, event) {
        case (.idle, .foundInMemory(.fresh)): return end(.image)
        case (.idle, .foundInMemory(.stale(let staleness))):
            return offer(Candidate(staleness: staleness, isFromOriginal: false))
        case (.idle, .start), (.loading, .filledElsewhere): return look()
        case (.queryingTarget, .found(let found)): return decode(found, .target)
        case (.queryingTarget, .missed), (.queryingTarget, .failed): return afterTargetMiss()
        case (.queryingOriginal, .found(let found)): return decode(found, .original)
        case (.queryingOriginal, .missed), (.queryingOriginal, .failed): return afterOriginalMiss()
        case (.loading, .loadedBytes(let isStorable)):
            self.isStorable = isStorable
            guard plan.decodes else { return ready(.loader, storesOriginal: true) }
            return go(.decoding(.loader), .decode(.loader))
        case (.loading, .loadedImage):
            if plan.storesMadePicture { plan.storesTarget = true }
            return afterDecode(.loader, original: false, transforms: plan.transforms)
        case (.loading, .notModified(let isStorable)): return confirm(isStorable)
        case (.decoding(let origin), .decoded(let transforms)):
            return afterDecode(origin, original: origin == .loader, transforms: transforms && plan.transforms)
        case (.decoding(.target), .failed(let error)) where !error.isCancellation:
            staleness = nil
            return [.removeEntry(.target)] + afterTargetMiss()
        case (.decoding(.original), .failed(let error)) where !error.isCancellation:
            staleness = nil
            return [.removeEntry(.original)] + afterOriginalMiss()
        case (.transforming(let origin), .transformed):
            return ready(origin, storesOriginal: origin == .loader)
        case (.storing, .stored), (.storing, .failed): return afterStore()
        case (_, .failed(let error)): return fail(error)
        default: return []
        }
    }

    private mutating func look() -> [Action] {
        plan.queriesTarget ? go(.queryingTarget, .queryTarget) : afterTargetMiss()
    }

    private mutating func go(_ next: Phase, _ action: Action) -> [Action] {
        phase = next
        return [action]
    }

    private mutating func decode(_ found: Found, _ origin: Origin) -> [Action] {
        if case .stale(let staleness) = found { self.staleness = staleness }
        guard plan.decodes else { return ready(.target, storesOriginal: false) }
        return go(.decoding(origin), .decode(origin))
    }

    private mutating func afterTargetMiss() -> [Action] {
        plan.queriesOriginal ? go(.queryingOriginal, .queryOriginal) : afterOriginalMiss()
    }

    private mutating func afterOriginalMiss() -> [Action] {
        if let refusal = plan.refusal { return fail(refusal) }
        return go(.loading, .load)
    }

    private mutating func afterDecode(_ origin: Origin, original: Bool, transforms: Bool) -> [Action] {
        // What was not transformed is never stored as if it were.
        if plan.transforms, !transforms, origin != .target { plan.storesTarget = false }
        if transforms, origin != .target {
            // A picture that the loader made itself has no bytes to keep as an original.
            if origin == .loader, !original { plan.storesOriginal = false }
            return go(.transforming(origin), .transform)
        }
        return ready(origin, storesOriginal: original)
    }

    private mutating func ready(_ origin: Origin, storesOriginal: Bool) -> [Action] {
        if let staleness {
            self.staleness = nil
            return offer(Candidate(staleness: staleness, isFromOriginal: origin == .original))
        }
        guard isStorable else { return forget() }
        let original = storesOriginal && plan.storesOriginal
        let target = origin != .target && plan.storesTarget
        guard original || target else { return [.storeInMemory] + end(.image) }
        return [.storeInMemory] + answer() + [.store(original: original, target: target)]
    }

    /// Answers those who do not wait for the store, which is to begin now.
    private mutating func answer() -> [Action] {
        phase = .storing
        let answered = subscribers.takeAll { !$0.waitsForStore }
        return [.retire] + (answered.isEmpty ? [] : [.finish(answered, .image)])
    }

    private mutating func afterStore() -> [Action] {
        phase = .ended
        let waiting = subscribers.takeAll()
        return waiting.isEmpty ? [] : [.finish(waiting, .image)]
    }

    private mutating func end(_ outcome: Outcome) -> [Action] {
        phase = .ended
        return [.retire, .finish(subscribers.takeAll(), outcome)]
    }

    // MARK: - What is stale

    private mutating func offer(_ candidate: Candidate) -> [Action] {
        let staleness = candidate.staleness
        if let refusal = plan.refusal {
            return staleness.offline ? [.storeInMemory] + end(.stale(nil)) : fail(refusal)
        }
        if staleness.whileRevalidating { return [.storeInMemory, .refreshInBackground] + end(.stale(nil)) }
        self.candidate = candidate
        return [.keepCandidate] + go(.loading, .load)
    }

    private mutating func confirm(_ isStorable: Bool) -> [Action] {
        guard let candidate else { return [] }
        guard isStorable else { return [.restoreCandidate] + forget() }
        guard plan.storesOriginal || plan.storesTarget else {
            return [.restoreCandidate, .storeInMemory] + end(.image)
        }
        let storesTarget = candidate.isFromOriginal && plan.storesTarget
        return [.restoreCandidate, .storeInMemory] + answer() + [.updateStored(storesTarget: storesTarget)]
    }

    /// Ends with an image that may not be stored; what was stored of the same name is older, and goes.
    private mutating func forget() -> [Action] {
        candidate == nil ? end(.image) : answer() + [.removeStored]
    }

    private mutating func fail(_ error: ImageError) -> [Action] {
        guard let candidate, candidate.staleness.onError, !error.isCancellation else {
            return end(.failure(error))
        }
        return [.restoreCandidate] + end(.stale(error))
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

    private mutating func endAll(_ error: ImageError) -> [Action] {
        // Stores are drained, and those who wait for one have their image then.
        guard phase != .storing else { return [] }
        let wasIdle = phase == .idle
        phase = .ended
        let finish = Action.finish(subscribers.takeAll(), .failure(error))
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
