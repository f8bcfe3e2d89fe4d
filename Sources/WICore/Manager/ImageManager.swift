// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// The way of a request: cache, loader, coder, transformer, and back into the cache. Safe from any thread.
///
/// Requests that would fetch the same bytes share one load, requests for one target share the decode and the transform.
/// A request ends in exactly one of: image, error, cancelled.
public final class ImageManager: Sendable {
    private let parts: ManagerParts
    private let defaults: ImageContext
    private let optionsProcessor: (@Sendable (URL?, ImageContext) -> ImageContext)?

    /// A manager of these parts.
    public init(
        cache: any ImageCaching, loader: any ImageLoading, coder: any ImageCoder,
        configuration: ImageManagerConfiguration = ImageManagerConfiguration()
    ) {
        parts = ManagerParts(cache: cache, loader: loader, coder: coder, configuration: configuration)
        defaults = configuration.defaultContext
        optionsProcessor = configuration.optionsProcessor
    }

    /// The cache of requests that name no other.
    public var cache: any ImageCaching { parts.cache }
    /// The loader of requests that name no other.
    public var loader: any ImageLoading { parts.loader }
    /// The coder of requests that name no other.
    public var coder: any ImageCoder { parts.coder }
    /// The threads for CPU work, for programs that want theirs done beside the manager's.
    public var workPool: WorkPool { parts.workPool }
    /// The threads that may block, for plug-ins that must wait.
    public var ioPool: IOPool { parts.ioPool }

    /// Sets who is asked and told; held weakly.
    public func setDelegate(_ delegate: (any ImageManagerDelegate)?) {
        guard let delegate else {
            parts.setHooks(ManagerHooks())
            return
        }
        parts.setHooks(
            ManagerHooks(
                shouldLoad: { [weak self, weak delegate] request in
                    guard let self, let delegate else { return true }
                    return delegate.imageManager(self, shouldLoad: request)
                },
                blockingTime: { [weak self, weak delegate] error, url in
                    guard let self, let delegate else { return nil }
                    return delegate.imageManager(self, blockingTimeFor: url, after: error)
                },
                cacheDidFail: { [weak self, weak delegate] error, request in
                    guard let self, let delegate else { return }
                    delegate.imageManager(self, cacheDidFail: error, for: request)
                }))
    }

    // MARK: - Requests

    /// The picture that `request` asks for.
    ///
    /// A picture in memory is given at once, without a change of executor. Cancelling the surrounding task cancels the
    /// request.
    /// - Throws: why there is none, with code `cancelled` when the task was cancelled.
    public func image(for request: ImageRequest) async throws(ImageError) -> ImageResult {
        let plan = plan(for: request)
        guard let hit = memoryHit(plan) else { return try await parts.begin(plan).result() }
        if plan.context[.queriesMemoryData] ?? false { return await parts.addingData(to: hit, plan) }
        parts.observe(.request, plan.redactedURL)?.end(.found(hit.origin))
        return hit
    }

    /// The picture behind `url`.
    ///
    /// - Throws: why there is none.
    public func image(
        from url: URL, options: ImageOptions = [], context: ImageContext = ImageContext()
    ) async throws(ImageError) -> ImageResult {
        try await image(for: ImageRequest(url: url, options: options, context: context))
    }

    /// The picture in memory, without waiting; nil when it is not there, or no longer good.
    public func cachedImage(for request: ImageRequest) -> ImageResult? {
        memoryHit(plan(for: request))
    }

    /// Begins a request and gives its handle.
    public func task(for request: ImageRequest) -> ImageTask {
        let plan = plan(for: request)
        guard let hit = memoryHit(plan) else { return parts.begin(plan) }
        let task = parts.newTask(plan)
        guard plan.context[.queriesMemoryData] ?? false else {
            task.end(.success(hit))
            return task
        }
        parts.onIO { [parts] in task.end(.success(await parts.addingData(to: hit, plan))) }
        return task
    }

    /// `request` with the manager's defaults merged in: what to keep when one request is used again and again.
    public func prepare(_ request: ImageRequest) -> ImageRequest { ImageRequest(plan: plan(for: request)) }

    /// The key under which the request's picture is kept, the manager's defaults included.
    public func cacheKey(for request: ImageRequest) -> CacheKey { plan(for: request).targetKey }

    private func plan(for request: ImageRequest) -> RequestPlan {
        let plan = request.plan
        if defaults.isEmpty && optionsProcessor == nil || plan.preparedBy == ObjectIdentifier(parts) {
            return plan
        }
        var context = plan.context.merging(defaults: defaults)
        if let optionsProcessor { context = optionsProcessor(plan.url, context) }
        return RequestPlan(
            plan.source, context, name: plan.name, problem: plan.problem, preparedBy: ObjectIdentifier(parts))
    }

    private func memoryHit(_ plan: RequestPlan) -> ImageResult? {
        guard plan.policy.queryLevels.contains(.memory), plan.problem == nil, !parts.isShutDown else {
            return nil
        }
        let cache = plan.ownCache ?? parts.cache
        guard let entry = cache.memoryEntry(for: plan.targetKey) else { return nil }
        switch plan.judge(entry, parts.time) {
        case .fresh?: return ImageResult(entry: entry, data: nil, origin: .memory)
        case .stale(let staleness)? where staleness.whileRevalidating && !plan.policy.fromCacheOnly:
            parts.refreshInBackground(plan)
            return ImageResult(entry: entry, data: nil, origin: .memory, isStale: true)
        default: return nil
        }
    }

    // MARK: - Without pixels

    /// The encoded bytes behind the request, from a cache or the loader, without decoding; they are stored as an image's would be.
    /// Thumbnail size, transformer and the like do not count.
    ///
    /// - Throws: why there are none.
    public func data(for request: ImageRequest) async throws(ImageError) -> DataResult {
        try await parts.beginData(plan(for: request).with(goal: .data)).result()
    }

    /// Makes sure that the bytes behind the request are in the cache, without decoding; returns once they are stored. What is
    /// there already is not read.
    ///
    /// - Throws: why they cannot be had. A cache that fails to store them is reported to the delegate alone.
    @discardableResult
    public func prefetch(_ request: ImageRequest) async throws(ImageError) -> DataResult {
        try await parts.beginData(plan(for: request).with(goal: .stored)).result()
    }

    /// What the head of the request's file says: from a cache, or from the first bytes of a transfer that ends there. Nothing is
    /// stored, and no load is shared.
    ///
    /// - Throws: why it cannot be known.
    public func imageInfo(for request: ImageRequest) async throws(ImageError) -> ImageInfo {
        try await HeadReader(plan(for: request).with(goal: .data), parts).info()
    }

    /// What the manager would do with the request: keys, what each cache level would answer and why, loader, coder, limits. Nothing is
    /// loaded or decoded.
    public func explain(_ request: ImageRequest) async -> RequestExplanation {
        await RequestExplainer(plan(for: request), parts).explanation()
    }

    // MARK: - With closures

    /// Begins a request for code that does not await; `completion` is called once, where `queue` says.
    ///
    /// - Returns: the handle, by which the request is cancelled; then `completion` gets the error `cancelled`.
    @discardableResult
    public func load(
        _ request: ImageRequest, queue: CallbackQueue = .inline,
        completion: @escaping @Sendable (Result<ImageResult, ImageError>) -> Void
    ) -> ImageTask {
        let task = task(for: request)
        task.whenFinished { result in queue.call { completion(result) } }
        return task
    }

    // MARK: - Failed URLs

    /// Forgets that `url` failed.
    public func removeFailedURL(_ url: URL) {
        let base = plan(for: ImageRequest(url: url)).originalKey.base
        parts.failures.withLock { $0.removeAll(of: base) }
    }

    /// Forgets all failures.
    public func removeAllFailedURLs() { parts.failures.withLock { $0.removeAll() } }

    // MARK: - The end

    /// Whether any work is under way, stores included.
    public var isRunning: Bool { !parts.targets.active.isEmpty }

    /// Waits until the work that is under way now, stores included, has ended.
    public func drain() async {
        await parts.targets.drain()
        await parts.turns.drain()
    }

    /// Waits until no loader is at work any more, not even for requests that were cancelled.
    func drainLoads() async { await parts.downloads.drain() }

    /// Ends all requests that are under way with `cancelled`; what is being stored is stored.
    public func cancelAll() {
        for job in parts.targets.active { job.handle(.cancelAll) }
    }

    /// Ends all requests with `shutDown`, waits for stores that have begun, and shuts the loader down. Requests made
    /// afterwards end with `shutDown` too.
    public func shutdown() async {
        parts.close()
        for job in parts.targets.active { job.handle(.shutdown) }
        await drain()
        await parts.loader.shutdown()
    }
}
