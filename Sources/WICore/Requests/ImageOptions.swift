// SPDX-License-Identifier: MIT

/// SDWebImage's habits as an option set. Each is sugar for one context key, and an explicit context value wins.
public struct ImageOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32
    /// Options by their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Ask again for a URL that failed a short while ago. Context: `retriesFailed`.
    public static let retryFailed = ImageOptions(rawValue: 1 << 0)
    /// Load after everything else. Context: `priority`.
    public static let lowPriority = ImageOptions(rawValue: 1 << 1)
    /// Show the picture while it arrives. Context: `isProgressive`.
    public static let progressiveLoad = ImageOptions(rawValue: 1 << 2)
    /// Have the transformer asked for animations too. Context: `transformsAnimations`.
    public static let transformAnimatedImage = ImageOptions(rawValue: 1 << 9)
    /// Give the encoded bytes also with a picture found in memory. Context: `queriesMemoryData`.
    public static let queryMemoryData = ImageOptions(rawValue: 1 << 12)
    /// Decode all frames of an animation at once. Context: `preloadsFrames`.
    public static let preloadAllFrames = ImageOptions(rawValue: 1 << 20)
    /// Take animations only. Context: `requiresAnimation`.
    public static let matchAnimatedImage = ImageOptions(rawValue: 1 << 21)
    /// Ask the server although a cache has the picture. Context: `refreshesCached`.
    public static let refreshCached = ImageOptions(rawValue: 1 << 3)
    /// Load before everything else. Context: `priority`.
    public static let highPriority = ImageOptions(rawValue: 1 << 7)
    /// Take certificates unchecked, for this request alone. Context: `allowsInvalidCertificates`.
    public static let allowInvalidCertificates = ImageOptions(rawValue: 1 << 6)
    /// Decode pictures smaller that would take more than 64 MiB. Context: `scaleDownLimit`.
    public static let scaleDownLargeImages = ImageOptions(rawValue: 1 << 11)
    /// Never load: a picture that no cache has is an error `cacheMiss`. Context: `fromCacheOnly`.
    public static let fromCacheOnly = ImageOptions(rawValue: 1 << 15)
    /// Look into no cache; the result is still stored. Context: `fromLoaderOnly`.
    public static let fromLoaderOnly = ImageOptions(rawValue: 1 << 16)
    /// Of an animation, only the first frame. Context: `firstFrameOnly`.
    public static let decodeFirstFrameOnly = ImageOptions(rawValue: 1 << 19)
    /// Answer only after everything is stored. Context: `waitsForStore`.
    public static let waitStoreCache = ImageOptions(rawValue: 1 << 22)

    /// The context values that these options stand for.
    var context: ImageContext {
        ImageContext { context in
            if contains(.retryFailed) { context[.retriesFailed] = true }
            if contains(.lowPriority) { context[.priority] = .low }
            if contains(.progressiveLoad) { context[.isProgressive] = true }
            if contains(.transformAnimatedImage) { context[.transformsAnimations] = true }
            if contains(.queryMemoryData) { context[.queriesMemoryData] = true }
            if contains(.preloadAllFrames) { context[.preloadsFrames] = true }
            if contains(.matchAnimatedImage) { context[.requiresAnimation] = true }
            if contains(.refreshCached) { context[.refreshesCached] = true }
            if contains(.highPriority) { context[.priority] = .high }
            if contains(.allowInvalidCertificates) { context[.allowsInvalidCertificates] = true }
            if contains(.scaleDownLargeImages) { context[.scaleDownLimit] = .mebibytes(64) }
            if contains(.fromCacheOnly) { context[.fromCacheOnly] = true }
            if contains(.fromLoaderOnly) { context[.fromLoaderOnly] = true }
            if contains(.decodeFirstFrameOnly) { context[.firstFrameOnly] = true }
            if contains(.waitStoreCache) { context[.waitsForStore] = true }
        }
    }
}
