// SPDX-License-Identifier: MIT

/// What makes two refreshes behind requests' backs one.
struct RefreshKey: Hashable, Sendable {
    let target: CacheKey
    let goal: RequestGoal
    let cache: ObjectIdentifier

    init(_ plan: RequestPlan, _ parts: ManagerParts) {
        target = plan.targetKey
        goal = plan.policy.goal
        cache = plan.ownCache.map { RequestPlugins.identity($0, plan) } ?? ObjectIdentifier(parts)
    }
}

/// Wants a refresh on nobody's behalf, and says when it is over.
final class BackgroundRefresh: JobSubscriber {
    let id: SubscriberID
    let priority = LoadPriority.low
    private let onEnd: @Sendable () -> Void

    init(id: SubscriberID, onEnd: @escaping @Sendable () -> Void) {
        self.id = id
        self.onEnd = onEnd
    }

    func attach(_ job: TargetJob) {}
    func show(_ event: ImageTask.Event) {}
    func finish(_ result: Result<TargetJob.Payload, ImageError>) { onEnd() }
}

extension ManagerParts {
    /// Asks the server about what was handed over stale, for whoever comes next; one asks at a time. Every hit comes here: where
    /// somebody asks already, that costs a look into a table.
    func refreshInBackground(_ plan: RequestPlan) {
        let key = RefreshKey(plan, self)
        guard refreshes.withLock({ $0.insert(key).inserted }) else { return }
        var context = plan.context
        context[.refreshesCached] = true
        context[.priority] = .low
        let refreshing = RequestPlan(
            plan.source, context, name: plan.name, preparedBy: plan.preparedBy, goal: plan.policy.goal)
        let refresh = BackgroundRefresh(id: newID()) { [self] in
            refreshes.withLock { _ = $0.remove(key) }
        }
        join(refresh, refreshing)
    }
}
