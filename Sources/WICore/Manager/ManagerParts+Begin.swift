// SPDX-License-Identifier: MIT
internal import FoundationEssentials

extension ManagerParts {
    func newTask(_ plan: RequestPlan) -> ImageTask {
        ImageTask(
            id: newID(), request: ImageRequest(plan: plan), priority: plan.context[.priority] ?? .normal,
            span: observe(.request, plan.redactedURL))
    }

    /// Begins a request that memory could not answer.
    func begin(_ plan: RequestPlan) -> ImageTask {
        let task = newTask(plan)
        join(task, plan)
        return task
    }

    /// Begins a request for bytes.
    func beginData(_ plan: RequestPlan) -> DataTask {
        let task = DataTask(id: newID(), priority: plan.context[.priority] ?? .normal)
        join(task, plan)
        return task
    }

    /// Joins the work for the target, or starts it.
    func join(_ task: any JobSubscriber, _ plan: RequestPlan) {
        if let problem = plan.problem {
            task.finish(.failure(problem))
            return
        }
        let plugins = RequestPlugins(plan, self)
        let key = TargetKey(plan, plugins)
        let wish = Subscribers.Wish(
            priority: task.priority,
            waitsForStore: plan.context[.waitsForStore] ?? (plan.policy.goal == .stored))
        while true {
            guard let (job, isNew) = targets.findOrInsert(key, { TargetJob(key, plan, plugins, self) }) else {
                task.finish(.failure(.shutDown(plan.url)))
                return
            }
            task.attach(job)
            if job.join(task, wish) {
                if isNew { job.start() }
                return
            }
            targets.retire(key, job)
        }
    }
}

extension TargetKey {
    init(_ plan: RequestPlan, _ plugins: RequestPlugins) {
        target = plan.targetKey
        policy = plan.policy
        decodeOptions = plan.decodeOptions
        encodeOptions = plan.context[.encodeOptions]
        storeFormat = plan.context[.storeFormat]
        extendedData = plan.context[.extendedData]
        wire =
            plan.url.map { plugins.loader.sharingKey(for: plan.loadRequest($0, priority: .normal)) ?? "" }
            ?? ""
        self.plugins = plugins.identities + (plan.url == nil ? [ObjectIdentifier(plan)] : [])
    }
}
