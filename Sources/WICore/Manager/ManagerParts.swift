// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import Synchronization

/// What the jobs of a manager work with. It knows no manager, so that jobs keep none alive.
final class ManagerParts: Sendable {
    let cache: any ImageCaching
    let loader: any ImageLoading
    let coder: any ImageCoder
    let workPool: WorkPool
    let ioPool: IOPool
    let bodyBudget: BodyBudget
    let bodyFiles: BodyFiles?
    let time: TimeSource
    let observer: (any ManagerObserver)?
    let targets = JobTable<TargetKey, TargetJob>()
    let downloads = JobTable<DownloadKey, DownloadJob>()
    let writes = WriteOrder()
    let failures: Locked<FailedURLs>
    /// Pictures that are refreshed behind requests' backs.
    let refreshes = Locked<Set<RefreshKey>>([])
    let fillLeasing: (any FillLeasing)?
    /// The turns to fill a key that this process has.
    let turns = JobTable<ObjectIdentifier, HeldTurn>()
    private let hooks = Locked(ManagerHooks())
    private let numbers = Atomic<UInt64>(0)
    private let closed = Atomic<Bool>(false)

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
        bodyFiles = configuration.bodyFiles
        time = configuration.time
        observer = configuration.observer
        fillLeasing = configuration.fillLeasing
        failures = Locked(FailedURLs(capacity: configuration.failedURLCapacity))
    }

    func newID() -> SubscriberID {
        SubscriberID(number: numbers.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Whether no request is taken any more.
    var isShutDown: Bool { closed.load(ordering: .acquiring) }

    /// Lets no request in from now on.
    func close() {
        closed.store(true, ordering: .releasing)
        targets.close()
        downloads.close()
    }

    /// Starts a task on the I/O threads.
    @discardableResult
    func onIO(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: ioPool) { await body() }
    }

    /// Starts a write on the I/O threads, which waits for its turn.
    func write(_ turn: WriteOrder.Turn?, _ body: @escaping @Sendable () async -> Void) {
        onIO { [writes] in
            if let turn { await writes.write(in: turn, body) } else { await body() }
        }
    }

    func setHooks(_ hooks: ManagerHooks) { self.hooks.withLock { $0 = hooks } }

    func shouldLoad(_ request: ImageRequest) -> Bool {
        let hook = hooks.withLock { $0.shouldLoad }
        return hook?(request) ?? true
    }

    /// Whether any load has failed a short while ago: most often none has, and no name need be made to look for it.
    var remembersFailures: Bool { failures.withLock { !$0.isEmpty } }

    /// Why the URL is not asked again yet.
    func blockingFailure(_ plan: RequestPlan, _ plugins: RequestPlugins) -> ImageError? {
        guard plan.url != nil, !plan.policy.retriesFailed, remembersFailures else { return nil }
        let now = time.monotonic()
        let load = plugins.failedLoad(plan)
        guard let reason = failures.withLock({ $0.reason(load, at: now) }) else { return nil }
        return ImageError(
            .blocked, stage: .request,
            "The URL failed a short while ago and is not asked again yet; use .retryFailed to ask at once.",
            url: plan.url, isRetryable: true, underlying: reason.message)
    }

    /// How long the delegate wants a URL left alone after `error`; nil leaves the word to the loader.
    func blockingTime(_ error: ImageError, _ request: LoadRequest) -> Duration? {
        let hook = hooks.withLock { $0.blockingTime }
        return hook?(error, request.url)
    }

    func cacheDidFail(_ error: any Error, stage: ImageError.Stage, _ plan: RequestPlan) {
        cacheDidFail(error, stage: stage, ImageRequest(plan: plan))
    }

    func cacheDidFail(_ error: any Error, stage: ImageError.Stage, _ request: ImageRequest) {
        let hook = hooks.withLock { $0.cacheDidFail }
        let code: ImageError.Code = stage == .query ? .cacheRead : .cacheWrite
        hook?(.wrapping(error, as: code, stage: stage, url: request.url), request)
    }
}

/// The delegate's calls, without the delegate.
struct ManagerHooks: Sendable {
    var shouldLoad: (@Sendable (ImageRequest) -> Bool)?
    var blockingTime: (@Sendable (ImageError, URL) -> Duration?)?
    var cacheDidFail: (@Sendable (ImageError, ImageRequest) -> Void)?
}

/// What requests must have in common to be one work from the query to the store.
struct TargetKey: Hashable, Sendable {
    let target: CacheKey
    let policy: RequestPolicy
    let decodeOptions: DecodeOptions
    let encodeOptions: EncodeOptions?
    let storeFormat: ImageFormat?
    let extendedData: Data?
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
