// SPDX-License-Identifier: MIT
internal import FoundationEssentials

extension TargetJob {
    func storeInMemory() {
        let payload = payload
        guard plan.policy.storeLevels.contains(.memory), let image = payload.image else { return }
        plugins.cache.storeInMemory(
            MemoryEntry(image: image, metadata: payload.metadata), for: plan.targetKey)
    }

    func keepCandidate() {
        let (cached, tasks) = state.withLock { state in
            state.candidate = state.payload
            state.payload = Payload()
            return (state.candidate?.result, Array(state.tasks.values))
        }
        guard let cached else { return }
        for task in tasks { task.show(.cached(cached)) }
    }

    func restoreCandidate() {
        state.withLock { state in
            if let candidate = state.candidate { state.payload = candidate }
        }
    }

    /// After “not modified”: the stored entries learn when they were last good.
    func updateStored(_ storesTarget: Bool, _ turn: WriteOrder.Turn?) {
        let payload = payload
        parts.write(turn) { [self] in
            let store = TargetStore(plan, plugins, parts, payload)
            for failure in await store.updateMetadata()
                + (storesTarget ? store.store(original: false, target: true) : [])
            {
                parts.cacheDidFail(failure, stage: .store, plan)
            }
            handle(.stored)
        }
    }

    func removeStored(_ turn: WriteOrder.Turn?) {
        parts.write(turn) { [self] in
            do {
                try await plugins.cache.remove(for: plan.targetKey, in: .all)
                try await plugins.originalCache.remove(for: plan.originalKey, in: .all)
            } catch {
                parts.cacheDidFail(error, stage: .store, plan)
            }
            handle(.stored)
        }
    }

    func store(original: Bool, target: Bool, _ turn: WriteOrder.Turn?) {
        let payload = payload
        parts.write(turn) { [self] in
            let span = parts.observe(.store, plan.redactedURL)
            let failures = await TargetStore(plan, plugins, parts, payload).store(
                original: original, target: target)
            span?.end(failures.first.map { .failed(.wrapping($0, as: .cacheWrite, stage: .store)) } ?? .done)
            for failure in failures { parts.cacheDidFail(failure, stage: .store, plan) }
            handle(.stored)
        }
    }

    func finish(_ ids: Set<SubscriberID>, _ outcome: Outcome) {
        var (tasks, payload) = state.withLock { state in
            (ids.compactMap { state.tasks.removeValue(forKey: $0) }, state.payload)
        }
        let result: Result<Payload, ImageError>
        switch outcome {
        case .failure(let error):
            remember(error)
            result = .failure(error.naming(plan.url))
        case .image:
            forgetFailure()
            result = .success(payload)
        case .stale(let error):
            if let error { remember(error) }
            payload.refreshFailure = error?.naming(plan.url)
            result = .success(payload)
        }
        for task in tasks { task.finish(result) }
    }

    func remember(_ error: ImageError) {
        guard let url = plan.url, error.stage == .load || error.stage == .decode, !error.isCancellation else {
            return
        }
        let request = plan.loadRequest(url, priority: .normal)
        let time =
            parts.blockingTime(error, request) ?? plugins.loader.blockingTime(after: error, for: request)
        guard let time, time > .zero else { return }
        let until = parts.time.monotonic() + time
        parts.failures.withLock { $0.add(plugins.failedLoad(plan), error, until: until) }
    }

    func forgetFailure() {
        guard plan.url != nil, parts.remembersFailures else { return }
        parts.failures.withLock { $0.remove(plugins.failedLoad(plan)) }
    }
}
