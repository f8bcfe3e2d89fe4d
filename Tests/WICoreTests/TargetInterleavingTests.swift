// SPDX-License-Identifier: MIT
import Testing

@testable import WICore

/// Walks every order of events that the pipeline can produce for one target, over a model of the shell: what is under way
/// may end in each of its ways, requests come and go, priorities change, and the manager is shut down, at any moment.
@Suite struct TargetInterleavingTests {
    static let failure = ImageError(.network, stage: .load, "The network failed.")
    static let refusal = ImageError(.cacheMiss, stage: .query, "No cache has it.")

    static let plans: [TargetMachine.Plan] = {
        var plans: [TargetMachine.Plan] = []
        for bits in 0..<128 {
            var plan = TargetMachine.Plan()
            plan.queriesTarget = bits & 1 != 0
            plan.queriesOriginal = bits & 2 != 0
            plan.transforms = bits & 4 != 0
            plan.storesOriginal = bits & 8 != 0
            plan.storesTarget = bits & 16 != 0
            plan.refusal = bits & 32 != 0 ? refusal : nil
            plan.decodes = bits & 64 == 0
            plan.storesMadePicture = !plan.queriesOriginal && !plan.storesTarget
            // Bytes are not transformed.
            if plan.decodes || !plan.transforms { plans.append(plan) }
        }
        return plans
    }()

    static let longest = plans[31]

    @Test(arguments: plans)
    func everyOrderOfEventsEndsEveryRequestOnce(_ plan: TargetMachine.Plan) {
        var walk = Walk()
        walk.run(Model(plan))
        #expect(walk.problems.isEmpty, "\(walk.problems.first ?? "")")
        #expect(walk.states > 10)
        #expect(walk.endings.contains(.image))
        #expect(walk.endings.contains(.stale(nil)) == true)
        #expect(walk.endings.contains(.stale(Self.failure)) == (plan.refusal == nil))
    }

    @Test func cancellingTheLastRequestCancelsTheWorkAndNoEarlier() {
        var model = Model(TargetMachine.Plan())
        model.join(waits: false)
        model.join(waits: false)
        model.take(.start)
        model.take(.leave(SubscriberID(number: 0)))
        #expect(model.underWay == .queryTarget)
        #expect(model.cancelled == 0)
        model.take(.leave(SubscriberID(number: 1)))
        #expect(model.underWay == nil)
        #expect(model.cancelled == 1)
        #expect(model.machine.hasEnded)
    }

    @Test func anUndecodableCachedEntryIsRemovedAndLoadedAnew() {
        var model = Model(TargetMachine.Plan())
        model.join(waits: false)
        model.take(.start)
        model.take(.found(.fresh))
        #expect(model.underWay == .decode(.target))
        model.take(.failed(ImageError(.corruptData, stage: .decode, "Damaged.")))
        #expect(model.removed == [.target])
        #expect(model.underWay == .load)
    }

    @Test func aTransformedTargetFromDiskIsNotTransformedAgain() {
        var plan = TargetMachine.Plan()
        plan.transforms = true
        var model = Model(plan)
        model.join(waits: false)
        model.take(.start)
        model.take(.found(.fresh))
        model.take(.decoded(transforms: true))
        #expect(model.machine.hasEnded)
        #expect(model.finished[SubscriberID(number: 0)] == .image)
        #expect(model.stores == 0)
    }

    @Test func aRequestThatWaitsForTheStoreIsAnsweredAfterIt() {
        var model = Model(TargetMachine.Plan())
        model.join(waits: true)
        model.join(waits: false)
        for event in [
            TargetMachine.Event.start, .missed, .loadedBytes(isStorable: true), .decoded(transforms: true),
        ] {
            model.take(event)
        }
        #expect(model.finished == [SubscriberID(number: 1): .image])
        model.take(.stored)
        #expect(model.finished[SubscriberID(number: 0)] == .image)
    }

    @Test func sharedWorkRunsAtTheHighestPriorityOfItsRequests() {
        var machine = TargetMachine(TargetMachine.Plan())
        let low = SubscriberID(number: 1), high = SubscriberID(number: 2)
        _ = machine.join(low, Subscribers.Wish(priority: .low, waitsForStore: false))
        _ = machine.handle(.start)
        let joined = machine.join(high, Subscribers.Wish(priority: .high, waitsForStore: false))
        #expect(joined.actions == [.setPriority(.high)])
        #expect(machine.handle(.setPriority(.normal, low)).isEmpty)
        let left = machine.handle(.leave(high))
        #expect(left.contains(.setPriority(.normal)))
    }
}

/// The shell as the machine sees it: one thing under way, requests that came and how they were finished.
private struct Model: Hashable {
    var machine: TargetMachine
    var underWay: TargetMachine.Action?
    var live: Set<SubscriberID> = []
    var finished: [SubscriberID: Outcome] = [:]
    var joins = 0
    var raises = 0
    var didShutDown = false
    var started = false
    var isRetired = false
    var cancelled = 0
    var stores = 0
    var updates = 0
    var removals = 0
    var storesInMemory = 0
    var hasCandidate = false
    var refreshes = 0
    var looks = 0
    var removed: [TargetMachine.Origin] = []
    var problem: String?

    /// Three requests on the longest way, two on each of the others: a third one is what the second was.
    var mostJoins: Int { machine.plan == TargetInterleavingTests.longest ? 3 : 2 }

    init(_ plan: TargetMachine.Plan) { machine = TargetMachine(plan) }

    mutating func join(waits: Bool) {
        let id = SubscriberID(number: UInt64(joins))
        joins += 1
        let (accepted, actions) = machine.join(id, Subscribers.Wish(priority: .low, waitsForStore: waits))
        if accepted { live.insert(id) }
        if !accepted && !actions.isEmpty { problem = "a refused join has actions" }
        perform(actions)
    }

    mutating func take(_ event: TargetMachine.Event) {
        if case .start = event { started = true }
        if event == .filledElsewhere { looks += 1 }
        if Self.endsWork(event) { underWay = nil }
        perform(machine.handle(event))
    }

    /// A stale picture in memory starts the work, a fresh one ends it.
    mutating func takeFromMemory(_ found: TargetMachine.Found) {
        started = true
        take(.foundInMemory(found))
    }

    static func endsWork(_ event: TargetMachine.Event) -> Bool {
        switch event {
        case .leave, .setPriority, .shutdown, .cancelAll, .start, .foundInMemory: false
        default: true
        }
    }

    mutating func perform(_ actions: [TargetMachine.Action]) {
        for action in actions {
            switch action {
            case .queryTarget, .queryOriginal, .load, .decode, .transform, .store, .updateStored,
                .removeStored:
                begin(action)
            case .keepCandidate:
                if hasCandidate { problem = "keeps a second candidate" }
                hasCandidate = true
            case .restoreCandidate:
                if !hasCandidate { problem = "restores no candidate" }
            case .refreshInBackground: refreshes += 1
            case .cancelWork:
                if underWay == nil { problem = "cancels while nothing is under way" }
                underWay = nil
                cancelled += 1
            case .finish(let ids, let outcome):
                for id in ids { finish(id, outcome) }
            case .retire:
                if isRetired { problem = "retires twice" }
                isRetired = true
            case .removeEntry(let origin): removed.append(origin)
            case .storeInMemory: storesInMemory += 1
            case .setPriority: break
            }
        }
        if machine.hasEnded, underWay != nil {
            problem = "has ended while \(String(describing: underWay)) is under way"
        }
        if machine.hasEnded, !live.isEmpty { problem = "has ended with live requests" }
        if !machine.hasEnded, started, underWay == nil { problem = "has not ended, but nothing is under way" }
    }

    private mutating func begin(_ action: TargetMachine.Action) {
        if underWay != nil { problem = "begins \(action) while \(String(describing: underWay)) is under way" }
        if case .store = action {
            stores += 1
        } else if action == .removeStored {
            removals += 1
        } else if case .updateStored = action {
            updates += 1
        } else if live.isEmpty {
            problem = "begins \(action) for nobody"
        }
        underWay = action
    }

    private mutating func finish(_ id: SubscriberID, _ outcome: Outcome) {
        if finished[id] != nil { problem = "finishes a request twice" }
        if !live.contains(id) { problem = "finishes a request that is not there" }
        live.remove(id)
        finished[id] = outcome
    }

    /// Every goodness of a cached entry that takes a way of its own.
    static let found: [TargetMachine.Found] = [
        .fresh, .stale(Staleness()), .stale(Staleness(onError: true, offline: true)),
        .stale(Staleness(whileRevalidating: true, onError: false, offline: true)),
    ]

    /// The ways in which what is under way can end.
    var endings: [TargetMachine.Event] {
        let failed = TargetMachine.Event.failed(TargetInterleavingTests.failure)
        switch underWay {
        case .queryTarget, .queryOriginal:
            return Self.found.map { .found($0) } + [.missed, failed]
        case .load:
            let modified: [TargetMachine.Event] = [
                .loadedBytes(isStorable: true), .loadedBytes(isStorable: false), .loadedImage, failed,
            ]
            let same: [TargetMachine.Event] = [
                .notModified(isStorable: true), .notModified(isStorable: false),
            ]
            // Who has a picture already asks for no turn; looking again without end is looking twice.
            if hasCandidate { return modified + same }
            return looks < 1 ? modified + [.filledElsewhere] : modified
        case .decode: return [.decoded(transforms: true), .decoded(transforms: false), failed]
        case .transform: return [.transformed, failed]
        case .store, .updateStored, .removeStored: return [.stored, failed]
        default: return []
        }
    }

    /// Everything that can happen next.
    var successors: [Model] {
        var next = endings.map { event in with { $0.take(event) } }
        if joins < mostJoins, !machine.hasEnded {
            next.append(with { $0.join(waits: false) })
            next.append(with { $0.join(waits: true) })
        }
        if !started, !live.isEmpty {
            next.append(with { $0.take(.start) })
            for found in Self.found { next.append(with { $0.takeFromMemory(found) }) }
        }
        for id in live { next.append(with { $0.take(.leave(id)) }) }
        if let id = live.first, raises < 1 {
            next.append(
                with { model in
                    model.raises += 1
                    model.take(.setPriority(.high, id))
                })
        }
        if !didShutDown {
            next.append(
                with { model in
                    model.didShutDown = true
                    model.take(.shutdown)
                })
            next.append(
                with { model in
                    model.didShutDown = true
                    model.take(.cancelAll)
                })
        }
        return next
    }

    private func with(_ change: (inout Model) -> Void) -> Model {
        var copy = self
        change(&copy)
        return copy
    }
}

private struct Walk {
    private var seen: Set<Model> = []
    var problems: [String] = []
    var endings: Set<Outcome> = []
    var states: Int { seen.count }

    mutating func run(_ start: Model) {
        var open = [start]
        while let model = open.popLast() {
            guard seen.insert(model).inserted else { continue }
            if let problem = model.problem {
                problems.append("\(problem): \(model)")
                continue
            }
            endings.formUnion(model.finished.values)
            if model.machine.hasEnded, model.underWay == nil, model.finished.count != model.accepted {
                problems.append("ended with \(model.finished.count) of \(model.accepted) finished: \(model)")
            }
            open += model.successors
        }
    }
}

extension Model {
    /// Requests that were let in.
    fileprivate var accepted: Int { live.count + finished.count }
}
