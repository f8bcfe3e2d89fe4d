// SPDX-License-Identifier: MIT
internal import FoundationEssentials

extension TargetJob {
    func query(_ key: CacheKey, _ levels: CacheLevels, _ cache: any ImageCaching) {
        let stage = beginStage()
        let task = parts.onIO { [self] in
            let span = parts.observe(.query, plan.redactedURL)
            do {
                if try await isKnown(key, levels, cache) {
                    span?.end(.found(.disk))
                    handle(.found(.fresh)) { $0.origin = .disk }
                    return
                }
                guard let entry = try await cache.entry(for: key, in: levels.subtracting(.memory)),
                    let found = plan.judge(entry.metadata, parts.time)
                else {
                    span?.end(.missed)
                    handle(.missed)
                    return
                }
                span?.end(.found(entry.level == .shared ? .shared : .disk))
                handle(.found(found)) { payload in
                    payload.isStale = found != .fresh
                    payload.data = entry.data
                    payload.metadata = entry.metadata
                    payload.origin = entry.level == .shared ? .shared : .disk
                }
            } catch {
                span?.end(.failed(.wrapping(error, as: .cacheRead, stage: .query, url: plan.url)))
                if !(error is CancellationError) { parts.cacheDidFail(error, stage: .query, plan) }
                handle(.missed)
            }
        }
        note(.task(task), of: stage)
    }

    /// Whether the bytes need not be read: they are only to be there, and nothing can make them stale.
    private func isKnown(_ key: CacheKey, _ levels: CacheLevels, _ cache: any ImageCaching) async throws
        -> Bool
    {
        guard plan.policy.goal == .stored, plan.policy.freshness == .immutable, !plan.policy.refreshesCached
        else { return false }
        return try await !cache.contains(key, in: levels.subtracting(.memory)).isEmpty
    }

    func removeEntry(_ origin: TargetMachine.Origin, _ turn: WriteOrder.Turn?) {
        let (key, cache) =
            origin == .target
            ? (plan.targetKey, plugins.cache) : (plan.originalKey, plugins.originalCache)
        parts.write(turn) { [self] in
            do {
                try await cache.remove(for: key, in: [.disk, .shared])
            } catch {
                parts.cacheDidFail(error, stage: .query, plan)
            }
        }
    }
}
