// SPDX-License-Identifier: MIT
public import FoundationEssentials

extension ContextKey where Value == Bool {
    /// Whether a URL that failed a short while ago is asked again. Default no.
    public static var retriesFailed: Self { Self("retriesFailed") }
    /// Whether certificates are taken unchecked. Default no.
    ///
    /// What was loaded so is kept apart: no request that checks is ever given it.
    public static var allowsInvalidCertificates: Self {
        Self("allowsInvalidCertificates", scope: .bytes) { $0 ? KeyPart("certificate", "unchecked") : nil }
    }
    /// Whether the loader is never asked. Default no.
    public static var fromCacheOnly: Self { Self("fromCacheOnly") }
    /// Whether the server is asked although a cache has the picture: the cached one comes as an event at once, and is the result
    /// when it was not modified, or when asking fails. Default no.
    public static var refreshesCached: Self { Self("refreshesCached") }
    /// Whether previews are wanted while the bytes arrive, as events. Default no. A refresh of a cached picture has none.
    public static var isProgressive: Self { Self("isProgressive") }
    /// Whether the transformer is asked for animations too, frame by frame as they are read. Default no: they stay as they are.
    public static var transformsAnimations: Self { Self("transformsAnimations") }
    /// Whether all frames of an animation are decoded at once and kept in memory. Default no.
    public static var preloadsFrames: Self { Self("preloadsFrames") }
    /// Whether a picture that does not move is an error. Default no.
    public static var requiresAnimation: Self { Self("requiresAnimation") }
    /// Whether a picture found in memory comes with its encoded bytes, read from the disk. Default no.
    public static var queriesMemoryData: Self { Self("queriesMemoryData") }
    /// Whether no cache is asked. Default no.
    public static var fromLoaderOnly: Self { Self("fromLoaderOnly") }
    /// Whether only the first frame of an animation is wanted. Default no.
    public static var firstFrameOnly: Self { Self("firstFrameOnly") }
    /// Whether the answer waits for the stores. Default no.
    public static var waitsForStore: Self { Self("waitsForStore") }
    /// Whether a thumbnail keeps its aspect ratio. Default yes.
    public static var preservesAspectRatio: Self { Self("preservesAspectRatio") }
}

extension ContextKey where Value == FreshnessPolicy {
    /// How long what is cached is taken for what the server would send. Default `.immutable`.
    public static var freshnessPolicy: Self { Self("freshnessPolicy") }
}

extension ContextKey where Value == LoadPriority {
    /// How urgent the request is when it starts. Default `.normal`.
    public static var priority: Self { Self("priority") }
}

extension ContextKey where Value == PixelSize {
    /// The box that the displayed picture is decoded to fit into. Default: full size.
    public static var thumbnailSize: Self { Self("thumbnailSize") }
}

extension ContextKey where Value == ByteCount {
    /// Bytes that the decoded pixels may take; larger pictures are decoded smaller. Default: no such limit.
    public static var scaleDownLimit: Self { Self("scaleDownLimit") }
    /// Bytes that the body may have. Default 64 MiB.
    public static var bodyLimit: Self { Self("bodyLimit") }
}

extension ContextKey where Value == Double {
    /// How much more of a picture must have come before the next preview, as a share of the whole. Default 0.05.
    public static var previewInterval: Self { Self("previewInterval") }
    /// Pixels per point of the result. Default: 2 or 3 when the URL holds `@2x.` or `@3x.`, else 1.
    public static var scaleFactor: Self { Self("scaleFactor") }
}

extension ContextKey where Value == Duration {
    /// How long nothing may come before the load ends with `timeout`. Default 15 seconds.
    public static var inactivityTimeout: Self { Self("inactivityTimeout") }
    /// How long the whole load may take. Default: no limit.
    public static var totalTimeout: Self { Self("totalTimeout") }
}

extension ContextKey where Value == String {
    /// Whose picture this is: requests with secret fields (``HTTPHeaders/Field/isSecret``) or credentials in the URL are stored only
    /// under the partition named here.
    public static var cachePartition: Self {
        Self("cachePartition", scope: .bytes) { KeyPart("partition", $0) }
    }
}

extension ContextKey where Value == Data {
    /// Bytes of the program's own to be kept with what the request stores; every later result has them in its
    /// `metadata.extendedData`, whoever asks. Default: none, and what is there stays.
    public static var extendedData: Self { Self("extendedData") }
}

extension ContextKey where Value == HTTPHeaders {
    /// Fields to send with the request.
    public static var requestHeaders: Self { Self("requestHeaders") }
}

extension ContextKey where Value == DecodeOptions {
    /// Base for the decode; thumbnail, scale and the like, where set as keys of their own, replace its values.
    public static var decodeOptions: Self { Self("decodeOptions") }
}

extension ContextKey where Value == EncodeOptions {
    /// How transformed pictures are encoded for the disk.
    public static var encodeOptions: Self { Self("encodeOptions") }
}

extension ContextKey where Value == ImageFormat {
    /// The format that transformed pictures are stored in. Default: their own, or PNG with alpha, JPEG without.
    public static var storeFormat: Self { Self("storeFormat") }
}

extension ContextKey where Value == CacheLevels {
    /// Where the target picture is looked for. Default all.
    public static var queryLevels: Self { Self("queryLevels") }
    /// Where the target picture is stored. Default all.
    public static var storeLevels: Self { Self("storeLevels") }
    /// Where the original of a thumbnail or transformed picture is looked for. Default disk and shared.
    public static var originalQueryLevels: Self { Self("originalQueryLevels") }
    /// Where the original is stored. Default disk and shared.
    public static var originalStoreLevels: Self { Self("originalStoreLevels") }
}

extension ContextKey where Value == any Transformer {
    /// What is done to the pixels after decoding; `suppress(.transformer)` switches the manager's default off.
    public static var transformer: Self { Self("transformer") }
}

extension ContextKey where Value == any ImageCaching {
    /// The cache of this request. Default: the manager's.
    public static var imageCache: Self { Self("imageCache") }
    /// The cache for originals. Default: the request's cache.
    public static var originalImageCache: Self { Self("originalImageCache") }
}

extension ContextKey where Value == any ImageLoading {
    /// The loader of this request. Default: the manager's.
    public static var imageLoader: Self { Self("imageLoader") }
}

extension ContextKey where Value == any ImageCoder {
    /// The coder of this request. Default: the manager's.
    public static var imageCoder: Self { Self("imageCoder") }
}

extension ContextKey where Value == any CacheKeyFilter {
    /// Makes the base of the cache key. Default: the URL itself.
    public static var cacheKeyFilter: Self { Self("cacheKeyFilter") }
}

extension ContextKey where Value == any CacheSerializer {
    /// Makes the bytes that are kept. Default: the original's, or the encoded result's.
    public static var cacheSerializer: Self { Self("cacheSerializer") }
}
