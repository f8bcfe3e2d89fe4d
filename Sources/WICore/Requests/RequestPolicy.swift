// SPDX-License-Identifier: MIT

/// What a request is after.
enum RequestGoal: Hashable, Sendable {
    /// A picture.
    case image
    /// The bytes that pictures are made of.
    case data
    /// That the bytes are in the cache.
    case stored
}

/// How a request uses caches and loader. Requests that differ here are not one work.
struct RequestPolicy: Hashable, Sendable {
    /// Where the bytes of a source may be kept at all.
    enum Storability: Hashable, Sendable {
        case everywhere
        case memoryOnly
        case nowhere
    }

    let fromCacheOnly: Bool
    let fromLoaderOnly: Bool
    let retriesFailed: Bool
    let queryLevels: CacheLevels
    let storeLevels: CacheLevels
    let originalQueryLevels: CacheLevels
    let originalStoreLevels: CacheLevels
    let bodyLimit: ByteCount
    let freshness: FreshnessPolicy
    let refreshesCached: Bool
    let goal: RequestGoal
    let isProgressive: Bool
    let transformsAnimations: Bool
    let preloadsFrames: Bool
    let requiresAnimation: Bool

    init(_ context: ImageContext, storability: Storability, goal: RequestGoal) {
        let allowed: CacheLevels =
            switch storability {
            case .everywhere: .all
            case .memoryOnly: .memory
            case .nowhere: []
            }
        fromCacheOnly = context[.fromCacheOnly] ?? false
        fromLoaderOnly = context[.fromLoaderOnly] ?? false
        retriesFailed = context[.retriesFailed] ?? false
        let query = fromLoaderOnly ? [] : allowed
        queryLevels = (context[.queryLevels] ?? .all).intersection(query)
        originalQueryLevels = (context[.originalQueryLevels] ?? [.disk, .shared]).intersection(query)
        storeLevels = (context[.storeLevels] ?? .all).intersection(allowed)
        originalStoreLevels = (context[.originalStoreLevels] ?? [.disk, .shared]).intersection(allowed)
        bodyLimit = context[.bodyLimit] ?? .mebibytes(64)
        freshness = context[.freshnessPolicy] ?? .immutable
        self.goal = goal
        isProgressive = goal == .image && context[.isProgressive] ?? false
        transformsAnimations = goal == .image && context[.transformsAnimations] ?? false
        preloadsFrames = goal == .image && context[.preloadsFrames] ?? false
        requiresAnimation = goal == .image && context[.requiresAnimation] ?? false
        refreshesCached = context[.refreshesCached] ?? false
    }
}
