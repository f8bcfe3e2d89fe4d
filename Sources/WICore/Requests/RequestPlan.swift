// SPDX-License-Identifier: MIT
internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Everything about a request that can be known before it runs, computed once.
final class RequestPlan: Sendable {
    let source: ImageRequest.Source
    let context: ImageContext
    /// The URL with its host in ASCII form.
    let url: URL?
    /// Why the request cannot run.
    let problem: ImageError?
    let targetKey: CacheKey
    let originalKey: CacheKey
    let decodeOptions: DecodeOptions
    let transformer: (any Transformer)?
    /// The request's own cache, looked up once: a memory hit asks for it every time.
    let ownCache: (any ImageCaching)?
    let policy: RequestPolicy
    let name: String?
    /// The fields that the request adds to the loader's own.
    let requestHeaders: HTTPHeaders
    /// The manager whose defaults are merged in.
    let preparedBy: ObjectIdentifier?
    private let shownURL = Locked<String?>(nil)

    init(
        _ source: ImageRequest.Source, _ context: ImageContext, name: String? = nil,
        problem: ImageError? = nil,
        preparedBy: ObjectIdentifier? = nil, goal: RequestGoal = .image
    ) {
        self.preparedBy = preparedBy
        self.source = source
        self.context = context
        self.name = name
        requestHeaders = context[.requestHeaders] ?? HTTPHeaders()
        let identity = SourceIdentity(source, context, requestHeaders, name: name, problem: problem)
        url = identity.url
        self.problem = identity.problem
        let options = Self.decodeOptions(context)
        transformer = goal == .image ? context[.transformer] : nil
        ownCache = context[.imageCache]
        let byteParts = context.keyParts(scope: .bytes) + identity.parts
        var pixelParts = byteParts + options.keyParts
        if let transformer { pixelParts.append(transformer.keyPart) }
        pixelParts += context.keyParts(scope: .pixels)
        originalKey = CacheKey(identity.base, parts: byteParts)
        if transformer != nil, context[.transformsAnimations] ?? false {
            pixelParts.append(KeyPart("animation", "transformed"))
        }
        targetKey =
            pixelParts.count == byteParts.count || goal != .image
            ? originalKey : CacheKey(identity.base, parts: pixelParts)
        var effective = options
        if !context.decides(.scaleFactor), options.scale == 1 {
            effective.scale = Self.scale(in: identity.base)
        }
        decodeOptions = effective
        policy = RequestPolicy(context, storability: identity.storability, goal: goal)
    }

    /// The URL for people and logs, made when first asked for: an observer is told it at each stage.
    var redactedURL: String? {
        guard let url else { return nil }
        return shownURL.withLock { shown in
            if let known = shown { return known }
            let made = redacted(url)
            shown = made
            return made
        }
    }

    /// The same request, after bytes.
    func with(goal: RequestGoal) -> RequestPlan {
        RequestPlan(source, context, name: name, problem: problem, preparedBy: preparedBy, goal: goal)
    }

    /// The options for bytes stored under the target key: they have their size and are upright already.
    var storedDecodeOptions: DecodeOptions {
        guard targetKey != originalKey else { return decodeOptions }
        var options = decodeOptions
        options.thumbnailSize = nil
        options.scaleDownLimit = nil
        return options
    }

    /// How good a cached entry is for this request now; nil when it is no answer.
    func judge(_ stored: EntryMetadata, _ time: TimeSource) -> TargetMachine.Found? {
        isFreshAnyway(stored.expiresAt) ? .fresh : judge(FreshnessFacts(stored), time)
    }

    /// The same for a picture in memory, whose fields are read once for all its hits.
    func judge(_ entry: MemoryEntry, _ time: TimeSource) -> TargetMachine.Found? {
        isFreshAnyway(entry.metadata.expiresAt) ? .fresh : judge(entry.freshnessFacts, time)
    }

    /// Whether an entry is fresh whatever the clock and its fields say.
    private func isFreshAnyway(_ expiresAt: Double?) -> Bool {
        // What was not loaded by a URL has no server to be asked.
        url == nil || policy.freshness.http == nil && !policy.refreshesCached && expiresAt == nil
    }

    private func judge(_ stored: FreshnessFacts, _ time: TimeSource) -> TargetMachine.Found? {
        let question = FreshnessQuestion(
            stored: stored, policy: policy.freshness, request: requestHeaders,
            refreshes: policy.refreshesCached, now: time.secondsSince1970())
        switch question.answer {
        case .fresh: return .fresh
        case .stale(let staleness): return .stale(staleness)
        case .unusable: return nil
        }
    }

    /// The wish in the loader's words.
    func loadRequest(_ url: URL, priority: LoadPriority) -> LoadRequest {
        LoadRequest(
            url: url, headers: requestHeaders, priority: priority,
            bodyLimit: policy.bodyLimit, inactivityTimeout: context[.inactivityTimeout],
            totalTimeout: context[.totalTimeout],
            allowsInvalidCertificates: context[.allowsInvalidCertificates] ?? false, context: context)
    }

    private static func decodeOptions(_ context: ImageContext) -> DecodeOptions {
        var options = context[.decodeOptions] ?? DecodeOptions()
        if let size = context[.thumbnailSize] { options.thumbnailSize = size }
        if let keeps = context[.preservesAspectRatio] { options.preservesAspectRatio = keeps }
        if let limit = context[.scaleDownLimit] { options.scaleDownLimit = limit }
        if let first = context[.firstFrameOnly] { options.firstFrameOnly = first }
        if let scale = context[.scaleFactor], scale.isFinite, scale >= 1 { options.scale = scale }
        return options
    }

    /// The scale that a name such as `icon@2x.png` states.
    private static func scale(in base: String) -> Double {
        guard base.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") }) else {
            return 1
        }
        let bytes = Array(base.utf8)
        for index in bytes.indices.dropLast(2) where bytes[index + 1] == UInt8(ascii: "x") {
            guard bytes[index] == 0x32 || bytes[index] == 0x33, bytes[index + 2] == UInt8(ascii: ".") else {
                continue
            }
            let head = bytes[..<index]
            if head.last == UInt8(ascii: "@") || head.suffix(3) == [0x25, 0x34, 0x30] {
                return Double(bytes[index] - 0x30)
            }
        }
        return 1
    }
}

/// What names a source in a key, and whether its bytes may be kept.
private struct SourceIdentity {
    var base = ""
    var parts: [KeyPart] = []
    var url: URL?
    var problem: ImageError?
    var storability = RequestPolicy.Storability.everywhere

    init(
        _ source: ImageRequest.Source, _ context: ImageContext, _ headers: HTTPHeaders, name: String?,
        problem: ImageError?
    ) {
        self.problem = problem
        switch source {
        case .url(let given):
            guard problem == nil else { return }
            adopt(given, context, headers)
        case .data:
            base = "data:" + (name ?? "")
            storability = name == nil ? .nowhere : .everywhere
        case .file(let path):
            base = "file:" + path
            parts = name.map { [KeyPart("file", $0)] } ?? []
            storability = name == nil ? .nowhere : .memoryOnly
        }
    }

    private mutating func adopt(_ given: URL, _ context: ImageContext, _ headers: HTTPHeaders) {
        let normalized = NormalizedURL(given)
        url = normalized.url
        problem = normalized.problem
        base = context[.cacheKeyFilter]?.keyBase(for: normalized.url) ?? normalized.keyBase
        parts = Self.negotiation(headers)
        let isCredentialed = normalized.hasCredentials || headers.fields.contains(where: \.isSecret)
        // One user's picture must not reach another: without a partition of its own it is kept nowhere.
        if isCredentialed, context[.cachePartition] == nil { storability = .nowhere }
        if normalized.url.scheme?.lowercased() == "data" { storability = .memoryOnly }
    }

    /// Fields by which a server chooses between variants are part of what the bytes are.
    private static func negotiation(_ headers: HTTPHeaders) -> [KeyPart] {
        headers.fields.filter { $0.name.lowercased().hasPrefix("accept") }
            .map { KeyPart($0.name.lowercased(), $0.value) }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    }
}

/// Size, modification time and inode of a file as text: another text, another picture. Nil when there is no file.
func fileIdentity(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
        let time = status.st_mtimespec
    #else
        let time = status.st_mtim
    #endif
    return "\(status.st_ino),\(status.st_size),\(time.tv_sec).\(time.tv_nsec)"
}
