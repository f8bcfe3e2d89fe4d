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
    }

    /// What is under way and can be stopped.
    private enum Running: Sendable {
        case task(Task<Void, Never>)
        case work(WorkTicket)
        case download(DownloadJob)
    }

    private struct State: Sendable {
        var machine: TargetMachine
        var payload = Payload()
        var tasks: [SubscriberID: ImageTask] = [:]
        var running: Running?
        /// Counts the stages, so that a stage that ended before its handle was noted does not shadow its successor.
        var stage: UInt64 = 0
        /// The load that the bytes came from; let go of once they are in the cache.
        var download: DownloadJob?
    }

    let plan: RequestPlan
    let parts: ManagerParts
    let plugins: RequestPlugins
    private let key: TargetKey
    private let loadID: SubscriberID
    private let state: Locked<State>

    init(_ key: TargetKey, _ plan: RequestPlan, _ plugins: RequestPlugins, _ parts: ManagerParts) {
        self.key = key
        self.plan = plan
        self.plugins = plugins
        self.parts = parts
        loadID = parts.newID()
        state = Locked(State(machine: TargetMachine(plan.machinePlan)))
    }

    var payload: Payload { state.withLock { $0.payload } }
    private var priority: LoadPriority { state.withLock { $0.machine.subscribers.priority ?? .normal } }

    /// Adds a request; false when the image was given out already, so that another job must be made.
    func join(_ task: ImageTask, _ wish: Subscribers.Wish) -> Bool {
        let (accepted, actions) = state.withLock { state in
            let (accepted, actions) = state.machine.join(task.id, wish)
            if accepted { state.tasks[task.id] = task }
            return (accepted, actions)
        }
        perform(actions)
        return accepted
    }

    /// Begins the work, once its first request has joined.
    func start() {
        // Between the request's look into memory and the making of this job, another one may have stored the image.
        if plan.policy.queryLevels.contains(.memory),
            let entry = plugins.cache.memoryEntry(for: plan.targetKey),
            !isExpired(entry.metadata, parts.time)
        {
            handle(.foundInMemory) { payload in
                payload.image = entry.image
                payload.metadata = entry.metadata
                payload.origin = .memory
            }
        } else {
            handle(.start)
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
                state.running = nil
                state.download = nil
            }
            return (state.payload, state.running, state.download)
        }
        leftovers.2?.leave(loadID)
        parts.targets.end(self)
    }

    private func perform(_ actions: [TargetMachine.Action], inline flag: CancellationFlag? = nil) {
        for action in actions {
            switch action {
            case .queryTarget: query(plan.targetKey, plan.policy.queryLevels, plugins.cache)
            case .queryOriginal:
                query(plan.originalKey, plan.policy.originalQueryLevels, plugins.originalCache)
            case .load: load()
            case .decode(let origin): decode(origin)
            case .transform: transform(flag)
            case .removeEntry(let origin): removeEntry(origin)
            case .storeInMemory: storeInMemory()
            case .store(let original, let target): store(original: original, target: target)
            case .cancelWork: stopRunning()
            case .setPriority(let priority): setRunningPriority(priority)
            case .retire: parts.targets.retire(key, self)
            case .finish(let ids, let outcome): finish(ids, outcome)
            }
        }
    }

    // MARK: - What is under way

    private func beginStage() -> UInt64 {
        state.withLock { state in
            state.stage += 1
            state.running = nil
            return state.stage
        }
    }

    private func note(_ running: Running, of stage: UInt64) {
        let isOver = state.withLock { state in
            if state.stage == stage, !state.machine.hasEnded { state.running = running }
            return state.machine.hasEnded
        }
        if isOver { stop(running) }
    }

    private func stopRunning() {
        if let running = state.withLock({ $0.running }) { stop(running) }
    }

    private func stop(_ running: Running) {
        switch running {
        case .task(let task): task.cancel()
        case .work(let ticket): ticket.cancel()
        case .download(let job): job.leave(loadID)
        }
    }

    private func setRunningPriority(_ priority: LoadPriority) {
        switch state.withLock({ $0.running }) {
        case .work(let ticket)?: ticket.setPriority(priority)
        case .download(let job)?: job.setPriority(priority, of: loadID)
        default: break
        }
    }

    // MARK: - Query

    private func query(_ key: CacheKey, _ levels: CacheLevels, _ cache: any ImageCaching) {
        let stage = beginStage()
        let task = parts.onIO { [self] in
            do {
                guard let entry = try await cache.entry(for: key, in: levels.subtracting(.memory)),
                    !isExpired(entry.metadata, parts.time)
                else {
                    handle(.missed)
                    return
                }
                handle(.found) { payload in
                    payload.data = entry.data
                    payload.metadata = entry.metadata
                    payload.origin = entry.level == .shared ? .shared : .disk
                }
            } catch {
                if !(error is CancellationError) { parts.cacheDidFail(error, stage: .query, plan) }
                handle(.missed)
            }
        }
        note(.task(task), of: stage)
    }

    private func removeEntry(_ origin: TargetMachine.Origin) {
        let (key, cache) =
            origin == .target
            ? (plan.targetKey, plugins.cache) : (plan.originalKey, plugins.originalCache)
        parts.onIO { [self] in
            do {
                try await cache.remove(for: key, in: [.disk, .shared])
            } catch {
                parts.cacheDidFail(error, stage: .query, plan)
            }
        }
    }

    // MARK: - Load

    private func load() {
        switch plan.source {
        case .data(let data): arrived(.success(LoadedBody(data: data)), .data)
        case .file(let path):
            let stage = beginStage()
            let task = parts.onIO { [self] in
                do throws(ImageError) {
                    arrived(
                        .success(LoadedBody(data: try readFile(path, limit: plan.policy.bodyLimit))), .file)
                } catch {
                    arrived(.failure(error), .file)
                }
            }
            note(.task(task), of: stage)
        case .url(let url): download(plan.url ?? url)
        }
    }

    private func download(_ url: URL) {
        let request = plan.loadRequest(url, priority: priority)
        guard plugins.loader.canLoad(request) else {
            handle(.failed(.unsupportedScheme(url)))
            return
        }
        guard parts.shouldLoad(ImageRequest(plan: plan)) else {
            handle(.failed(ImageError(.vetoed, stage: .load, "The delegate refused the load.", url: url)))
            return
        }
        let sharing = plugins.loader.sharingKey(for: request)
        let key = DownloadKey(
            loader: plugins.loaderIdentity, sharing: sharing ?? "unshared \(loadID.number)",
            limits: plan.decodeOptions.limits, coder: plugins.coderIdentity)
        let stage = beginStage()
        while true {
            let found = parts.downloads.findOrInsert(key) {
                DownloadJob(
                    key, request, loader: plugins.loader, coder: plugins.coder,
                    limits: plan.decodeOptions.limits, parts: parts)
            }
            guard let (job, _) = found else {
                handle(.failed(.shutDown(url)))
                return
            }
            // The handle is noted first: the result may arrive, and the next stage begin, before `join` returns.
            note(.download(job), of: stage)
            state.withLock { $0.download = job }
            let joined = job.join(
                loadID, request.priority, progress: { [weak self] in self?.progress($0, $1) }
            ) {
                [self] in arrived($0, .loader)
            }
            // One who left in between was not yet there to be taken out.
            if joined, state.withLock({ $0.machine.hasEnded }) { job.leave(loadID) }
            if joined { return }
            parts.downloads.retire(key, job)
        }
    }

    private func arrived(_ result: Result<LoadedBody, ImageError>, _ origin: ImageResult.Origin) {
        switch result {
        case .failure(let error): handle(.failed(error.naming(plan.url)))
        case .success(let body):
            let metadata = EntryMetadata(body.head, plan, parts.time)
            handle(body.image == nil ? .loadedBytes : .loadedImage) { payload in
                payload.data = body.image == nil ? body.data : nil
                payload.image = body.image
                payload.metadata = metadata
                payload.origin = origin
                payload.sink = body.sink
            }
        }
    }

    private func progress(_ received: Int, _ expected: Int?) {
        let tasks = state.withLock { Array($0.tasks.values) }
        for task in tasks { task.progress(received, expected) }
    }

    // MARK: - Decode and transform

    private func decode(_ origin: TargetMachine.Origin) {
        guard let data = payload.data else { return }
        let options = origin == .target ? plan.storedDecodeOptions : plan.decodeOptions
        let coder = plugins.coder
        let cost: ByteCount
        do {
            cost = try estimate(data, options)
        } catch {
            handle(.failed(error))
            return
        }
        let stage = beginStage()
        let ticket = parts.workPool.submit(priority, cost: cost) { [self] work in
            do {
                try work.checkCancellation(.decode)
                let image = try coder.decode(data, options, work)
                handle(.decoded, inline: work.flag) { payload in
                    payload.image = image
                    payload.sink = nil
                    if origin != .target, plan.targetKey != plan.originalKey { payload.isDerived = true }
                }
            } catch {
                handle(.failed(.wrapping(error, as: .corruptData, stage: .decode, url: plan.url)))
            }
        }
        note(.work(ticket), of: stage)
    }

    /// Runs in the job that decoded, so that its pixels do not wait in line behind other decodes.
    private func transform(_ flag: CancellationFlag?) {
        guard let flag else {
            let stage = beginStage()
            let cost = payload.image?.memoryCost ?? .zero
            note(.work(parts.workPool.submit(priority, cost: cost) { [self] in transformNow($0) }), of: stage)
            return
        }
        transformNow(WorkContext(flag: flag))
    }

    private func transformNow(_ work: borrowing WorkContext) {
        guard let image = payload.image, let transformer = plan.transformer else { return }
        do {
            try work.checkCancellation(.transform)
            let pixels = try transformer.transform(image.pixels, work)
            handle(.transformed) { payload in
                payload.image = image.replacingPixels(pixels)
                payload.isDerived = true
            }
        } catch {
            handle(.failed(.wrapping(error, as: .transformFailed, stage: .transform, url: plan.url)))
        }
    }

    // MARK: - Store and finish

    private func storeInMemory() {
        let payload = payload
        guard plan.policy.storeLevels.contains(.memory), let image = payload.image else { return }
        plugins.cache.storeInMemory(
            MemoryEntry(image: image, metadata: payload.metadata), for: plan.targetKey)
    }

    private func store(original: Bool, target: Bool) {
        let payload = payload
        parts.onIO { [self] in
            let failures = await TargetStore(plan, plugins, parts, payload).store(
                original: original, target: target)
            for failure in failures { parts.cacheDidFail(failure, stage: .store, plan) }
            handle(.stored)
        }
    }

    private func finish(_ ids: Set<SubscriberID>, _ outcome: Outcome) {
        let (tasks, payload) = state.withLock { state in
            (ids.compactMap { state.tasks.removeValue(forKey: $0) }, state.payload)
        }
        let result: Result<ImageResult, ImageError>
        switch outcome {
        case .failure(let error):
            remember(error)
            result = .failure(error.naming(plan.url))
        case .image:
            guard let image = payload.image else { return }
            forgetFailure()
            let entry = MemoryEntry(image: image, metadata: payload.metadata)
            let data = payload.isDerived ? nil : payload.data
            result = .success(ImageResult(entry: entry, data: data, origin: payload.origin))
        }
        for task in tasks { task.finish(result) }
    }

    private func remember(_ error: ImageError) {
        guard let url = plan.url, error.stage == .load || error.stage == .decode else { return }
        let request = plan.loadRequest(url, priority: .normal)
        guard let time = plugins.loader.blockingTime(after: error, for: request), time > .zero else { return }
        let until = parts.time.monotonic() + time
        parts.failures.withLock { $0.add(plan.originalKey.text, error, until: until) }
    }

    private func forgetFailure() {
        guard plan.url != nil else { return }
        parts.failures.withLock { $0.remove(plan.originalKey.text) }
    }
}

/// Whether an entry's own expiry has passed.
func isExpired(_ metadata: EntryMetadata, _ time: TimeSource) -> Bool {
    guard let expiresAt = metadata.expiresAt else { return false }
    return time.secondsSince1970() >= expiresAt
}
