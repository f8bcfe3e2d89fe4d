// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// The shell around ``TargetMachine``: holds the payload of one target and performs the machine's actions.
final class TargetJob: Sendable {
    /// What has been got so far.
    struct Payload: Sendable {
        var data: Data?
        var metadata = EntryMetadata(storedAt: 0)
        var image: DecodedImage?
        var origin = ImageResult.Origin.loader
        /// Keeps the body's memory counted until it is decoded.
        var sink: BodySink?
        /// Whether a transformer changed the pixels, or the original is not what is handed over.
        var isDerived = false
        /// What asking the server came to, where the picture is handed over although it is stale.
        var refreshFailure: ImageError?
        var isStale = false

        /// The picture as a request's result.
        var result: ImageResult? {
            guard let image else { return nil }
            return ImageResult(
                entry: MemoryEntry(image: image, metadata: metadata), data: isDerived ? nil : data,
                origin: origin, isStale: isStale, refreshFailure: refreshFailure)
        }
    }

    /// What is under way and can be stopped.
    enum Running: Sendable {
        case task(Task<Void, Never>)
        case work(WorkTicket)
        case download(DownloadJob)
    }

    struct State: Sendable {
        var machine: TargetMachine
        var payload = Payload()
        /// A stale picture that is handed over when the server says that it is still good, or fails.
        var candidate: Payload?
        var tasks: [SubscriberID: any JobSubscriber] = [:]
        var previews: PreviewFeed?
        var running: Running?
        /// Counts the stages, so that a stage that ended before its handle was noted does not shadow its successor.
        var stage: UInt64 = 0
        /// The load that the bytes came from; let go of once they are in the cache.
        var download: DownloadJob?
        /// Whether another process filled the caches, so that no turn to fill them is asked for any more.
        var hasLookedAgain = false
    }

    let plan: RequestPlan
    let parts: ManagerParts
    let plugins: RequestPlugins
    let key: TargetKey
    let loadID: SubscriberID
    let state: Locked<State>

    init(_ key: TargetKey, _ plan: RequestPlan, _ plugins: RequestPlugins, _ parts: ManagerParts) {
        self.key = key
        self.plan = plan
        self.plugins = plugins
        self.parts = parts
        loadID = parts.newID()
        state = Locked(State(machine: TargetMachine(plan.machinePlan)))
    }

    var payload: Payload { state.withLock { $0.payload } }
    var priority: LoadPriority { state.withLock { $0.machine.subscribers.priority ?? .normal } }

    /// Adds a request; false when the image was given out already, so that another job must be made.
    func join(_ task: any JobSubscriber, _ wish: Subscribers.Wish) -> Bool {
        let (accepted, actions) = state.withLock { state in
            let (accepted, actions) = state.machine.join(task.id, wish)
            if accepted { state.tasks[task.id] = task }
            return (accepted, actions)
        }
        perform(actions)
        if accepted, let cached = state.withLock({ $0.candidate?.result }) { task.show(.cached(cached)) }
        return accepted
    }

    /// Begins the work, once its first request has joined.
    func start() {
        // Between the request's look into memory and the making of this job, another one may have stored the image.
        guard plan.policy.goal == .image, plan.policy.queryLevels.contains(.memory),
            let entry = plugins.cache.memoryEntry(for: plan.targetKey),
            let found = plan.judge(entry, parts.time)
        else {
            handle(.start)
            return
        }
        handle(.foundInMemory(found)) { payload in
            payload.image = entry.image
            payload.metadata = entry.metadata
            payload.origin = .memory
            payload.isStale = found != .fresh
        }
    }

    /// Takes an event; `update` changes the payload, unless the work has ended meanwhile.
    func handle(
        _ event: TargetMachine.Event, inline flag: CancellationFlag? = nil,
        _ update: @Sendable (inout Payload) -> Void = { _ in }
    ) {
        let (actions, hasEnded) = state.withLock { state in
            if state.machine.hasEnded { return ([TargetMachine.Action](), false) }
            update(&state.payload)
            let actions = state.machine.handle(event)
            return (actions, state.machine.hasEnded)
        }
        perform(actions, inline: flag)
        guard hasEnded else { return }
        let leftovers = state.withLock { state in
            defer {
                state.payload = Payload()
                state.candidate = nil
                state.running = nil
                state.download = nil
                state.previews = nil
            }
            return (state.payload, state.candidate, state.running, state.download, state.previews)
        }
        leftovers.3?.leave(loadID)
        leftovers.4?.close()
        parts.targets.end(self)
    }

    private func perform(_ actions: [TargetMachine.Action], inline flag: CancellationFlag? = nil) {
        // Taken before the target is given free: what is begun anew then is written after this.
        let turn =
            actions.contains(where: \.isWrite)
            ? parts.writes.turn(for: plan.targetKey, plan.originalKey) : nil
        for action in actions {
            switch action {
            case .queryTarget: query(plan.targetKey, plan.policy.queryLevels, plugins.cache)
            case .queryOriginal:
                query(plan.originalKey, plan.policy.originalQueryLevels, plugins.originalCache)
            case .load: load()
            case .decode(let origin): decode(origin)
            case .transform: transform(flag)
            case .removeEntry(let origin): removeEntry(origin, turn)
            case .keepCandidate: keepCandidate()
            case .restoreCandidate: restoreCandidate()
            case .refreshInBackground: parts.refreshInBackground(plan)
            case .storeInMemory: storeInMemory()
            case .removeStored: removeStored(turn)
            case .updateStored(let storesTarget): updateStored(storesTarget, turn)
            case .store(let original, let target): store(original: original, target: target, turn)
            case .cancelWork: stopRunning()
            case .setPriority(let priority): setRunningPriority(priority)
            case .retire: parts.targets.retire(key, self)
            case .finish(let ids, let outcome): finish(ids, outcome)
            }
        }
    }

    // MARK: - What is under way

    func beginStage() -> UInt64 {
        state.withLock { state in
            state.stage += 1
            state.running = nil
            return state.stage
        }
    }

    func note(_ running: Running, of stage: UInt64) {
        let isOver = state.withLock { state in
            if state.stage == stage, !state.machine.hasEnded { state.running = running }
            return state.machine.hasEnded
        }
        if isOver { stop(running) }
    }

    func stopRunning() {
        if let running = state.withLock({ $0.running }) { stop(running) }
    }

    func stop(_ running: Running) {
        switch running {
        case .task(let task): task.cancel()
        case .work(let ticket): ticket.cancel()
        case .download(let job): job.leave(loadID)
        }
    }

    func setRunningPriority(_ priority: LoadPriority) {
        switch state.withLock({ $0.running }) {
        case .work(let ticket)?: ticket.setPriority(priority)
        case .download(let job)?: job.setPriority(priority, of: loadID)
        default: break
        }
    }
}
