// SPDX-License-Identifier: MIT
internal import FoundationEssentials

extension TargetJob {
    func query(_ key: CacheKey, _ levels: CacheLevels, _ cache: any ImageCaching) {
        let stage = beginStage()
        let task = parts.onIO { [self] in
            do {
                guard let entry = try await cache.entry(for: key, in: levels.subtracting(.memory)),
                    let found = plan.judge(entry.metadata, parts.time)
                else {
                    handle(.missed)
                    return
                }
                handle(.found(found)) { payload in
                    payload.isStale = found != .fresh
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

    func removeEntry(_ origin: TargetMachine.Origin) {
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
}
