// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// The plug-ins that one request uses: its own where its context names them, else the manager's.
struct RequestPlugins: Sendable {
    let cache: any ImageCaching
    let originalCache: any ImageCaching
    let loader: any ImageLoading
    let coder: any ImageCoder
    let loaderIdentity: ObjectIdentifier
    let coderIdentity: ObjectIdentifier
    /// Whether originals are kept in another cache than targets, so that a plain picture belongs into both.
    let keepsOriginalsApart: Bool
    /// Tells requests with other plug-ins apart: they are not one work.
    let identities: [ObjectIdentifier]

    init(_ plan: RequestPlan, _ parts: ManagerParts) {
        let context = plan.context
        cache = plan.ownCache ?? parts.cache
        originalCache = context[.originalImageCache] ?? plan.ownCache ?? parts.cache
        keepsOriginalsApart = context[.originalImageCache] != nil
        loader = context[.imageLoader] ?? parts.loader
        coder = context[.imageCoder] ?? parts.coder
        let manager = ObjectIdentifier(parts)
        loaderIdentity = context[.imageLoader].map { Self.identity($0, plan) } ?? manager
        coderIdentity = context[.imageCoder].map { Self.identity($0, plan) } ?? manager
        identities = [
            plan.ownCache.map { Self.identity($0, plan) } ?? manager,
            context[.originalImageCache].map { Self.identity($0, plan) } ?? manager,
            loaderIdentity, coderIdentity,
            context[.cacheSerializer].map { Self.identity($0, plan) } ?? manager,
        ]
    }

    /// What a load of this request shares its failures with.
    func failedLoad(_ plan: RequestPlan) -> FailedLoad {
        let wire = plan.url.flatMap { loader.sharingKey(for: plan.loadRequest($0, priority: .normal)) }
        return FailedLoad(
            url: plan.originalKey.base, wire: wire ?? plan.originalKey.text, loader: loaderIdentity,
            coder: coderIdentity, limits: plan.decodeOptions.limits)
    }

    /// Objects are themselves; values cannot be told apart, so each request's are its own.
    static func identity(_ plugin: Any, _ plan: RequestPlan) -> ObjectIdentifier {
        type(of: plugin) is AnyClass ? ObjectIdentifier(plugin as AnyObject) : ObjectIdentifier(plan)
    }
}

extension RequestPlan {
    /// What of the way applies to this request.
    var machinePlan: TargetMachine.Plan {
        var plan = TargetMachine.Plan()
        let slow: CacheLevels = [.disk, .shared]
        plan.queriesTarget = !policy.queryLevels.isDisjoint(with: slow)
        let isPlain = targetKey == originalKey && context[.originalImageCache] == nil
        plan.queriesOriginal = !isPlain && !policy.originalQueryLevels.isDisjoint(with: slow)
        plan.transforms = transformer != nil
        plan.decodes = policy.goal == .image
        let original =
            isPlain ? policy.storeLevels.union(policy.originalStoreLevels) : policy.originalStoreLevels
        plan.storesOriginal = !original.isDisjoint(with: slow)
        let storesPicture = !policy.storeLevels.isDisjoint(with: slow)
        plan.storesTarget = storesPicture && !isPlain
        plan.storesMadePicture = storesPicture && isPlain
        if case .url = source, policy.fromCacheOnly {
            plan.refusal = ImageError(
                .cacheMiss, stage: .query, "No cache has the picture, and the request may not load it.",
                url: url)
        }
        return plan
    }
}

extension EntryMetadata {
    /// What a load's answer says that is worth keeping.
    init(_ body: LoadedBody, _ plan: RequestPlan, _ time: TimeSource) {
        let head = body.head
        self.init(
            storedAt: time.secondsSince1970(), sourceURL: (head.url ?? plan.url).map(redacted),
            contentType: head.headers["Content-Type"],
            validators: Validators(
                entityTag: head.headers["ETag"], lastModified: head.headers["Last-Modified"]),
            requestedAt: body.requestedAt, extendedData: plan.context[.extendedData])
        for name in ["Cache-Control", "Expires", "Date", "Age", "Vary", "Pragma"] {
            if let value = head.headers[name] { responseHeaders.add(name, value) }
        }
        let sent = plan.requestHeaders
        for name in fieldNames(responseHeaders["Vary"] ?? "") {
            if let value = sent[name] { requestHeaders.add(name, value) }
        }
    }
}

extension ImageError {
    static func shutDown(_ url: FoundationEssentials.URL?) -> ImageError {
        ImageError(.shutDown, stage: .request, "The manager was shut down; make another one.", url: url)
    }
}
