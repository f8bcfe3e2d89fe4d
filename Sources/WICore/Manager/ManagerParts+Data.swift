// SPDX-License-Identifier: MIT
internal import FoundationEssentials

extension ManagerParts {
    /// A picture found in memory, with the bytes it was decoded from where a slower cache has them.
    func addingData(to hit: ImageResult, _ plan: RequestPlan) async -> ImageResult {
        let span = observe(.request, plan.redactedURL)
        let cache = plan.ownCache ?? self.cache
        let levels = plan.policy.queryLevels.subtracting(.memory)
        var data: Data?
        if plan.targetKey == plan.originalKey, !levels.isEmpty {
            data = await onIOValue { try? await cache.entry(for: plan.targetKey, in: levels)?.data }
        }
        span?.end(.found(.memory))
        return ImageResult(
            entry: hit.entry, data: data, origin: .memory, isStale: hit.isStale,
            refreshFailure: hit.refreshFailure)
    }

    /// Runs `body` on the I/O threads and gives its value.
    private func onIOValue<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        await Task(executorPreference: ioPool) { await body() }.value
    }
}
