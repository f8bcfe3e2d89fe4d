// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// What the jobs of a manager work with. It knows no manager, so that jobs keep none alive.
final class ManagerParts: Sendable {
    let cache: any ImageCaching
    let loader: any ImageLoading
    let coder: any ImageCoder
    let workPool: WorkPool
    let ioPool: IOPool
    let bodyBudget: BodyBudget
    let time: TimeSource
    let targets = JobTable<TargetKey, TargetJob>()
    let downloads = JobTable<DownloadKey, DownloadJob>()
    let failures: Locked<FailedURLs>
    private let hooks = Locked(ManagerHooks())
    private let numbers = Locked(UInt64(0))

    init(
        cache: any ImageCaching, loader: any ImageLoading, coder: any ImageCoder,
        configuration: ImageManagerConfiguration
    ) {
        self.cache = cache
        self.loader = loader
        self.coder = coder
        workPool = WorkPool(threads: configuration.workThreads, memoryBudget: configuration.decodeMemory)
        ioPool = IOPool(threads: configuration.ioThreads)
        bodyBudget = BodyBudget(capacity: configuration.bodyMemory)
        time = configuration.time
        failures = Locked(FailedURLs(capacity: configuration.failedURLCapacity))
    }

    func newID() -> SubscriberID {
        numbers.withLock { number in
            number += 1
            return SubscriberID(number: number)
        }
    }

    /// Starts a task on the I/O threads.
    @discardableResult
    func onIO(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: ioPool) { await body() }
    }

    func setHooks(_ hooks: ManagerHooks) { self.hooks.withLock { $0 = hooks } }

    func shouldLoad(_ request: ImageRequest) -> Bool {
        let hook = hooks.withLock { $0.shouldLoad }
        return hook?(request) ?? true
    }

    func cacheDidFail(_ error: any Error, stage: ImageError.Stage, _ plan: RequestPlan) {
        let hook = hooks.withLock { $0.cacheDidFail }
        let code: ImageError.Code = stage == .query ? .cacheRead : .cacheWrite
        hook?(.wrapping(error, as: code, stage: stage, url: plan.url), ImageRequest(plan: plan))
    }
}

/// The delegate's calls, without the delegate.
struct ManagerHooks: Sendable {
    var shouldLoad: (@Sendable (ImageRequest) -> Bool)?
    var cacheDidFail: (@Sendable (ImageError, ImageRequest) -> Void)?
}

/// What requests must have in common to be one work from the query to the store.
struct TargetKey: Hashable, Sendable {
    let target: CacheKey
    let policy: RequestPolicy
    let decodeOptions: DecodeOptions
    let encodeOptions: EncodeOptions?
    let storeFormat: ImageFormat?
    let wire: String
    let plugins: [ObjectIdentifier]
}

/// What loads must have in common to be one load.
struct DownloadKey: Hashable, Sendable {
    let loader: ObjectIdentifier
    let sharing: String
    let limits: DecodeLimits
    let coder: ObjectIdentifier
}
