// SPDX-License-Identifier: MIT

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

    init(_ context: ImageContext, storability: Storability) {
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
        refreshesCached = context[.refreshesCached] ?? false
    }
}
