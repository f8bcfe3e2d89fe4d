// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// What a manager would do with a request, found out without loading anything.
public struct RequestExplanation: Sendable, CustomStringConvertible {
    /// What one level of a cache would answer.
    public struct LevelAnswer: Sendable {
        /// How good the answer is.
        public enum State: String, Hashable, Sendable {
            /// It is used as it is.
            case fresh
            /// It is shown, and the server is asked about it.
            case stale
            /// It is no answer any more, or not to this request.
            case expired
            /// There is none.
            case absent
            /// The cache failed.
            case failed
            /// The request does not ask there.
            case notAsked
        }

        /// What is looked for there: the picture as it is handed over, or the bytes it is made of.
        public let isOriginal: Bool
        /// The level.
        public let level: CacheLevels
        /// How good the answer is.
        public let state: State
        /// When the entry came from its source or was last confirmed there, in seconds since 1970; nil where there is none.
        public let storedAt: Double?
        /// Bytes of the entry; nil where there is none.
        public let size: ByteCount?
        /// What the cache said, where it failed.
        public let failure: String?
    }

    /// Why the request cannot even begin.
    public let problem: ImageError?
    /// The URL as it is loaded, without credentials and query values.
    public let url: String?
    /// The key of the picture as it is handed over.
    public let key: CacheKey
    /// The key of the bytes it is made of.
    public let originalKey: CacheKey
    /// What the caches would answer, in the order in which they are asked.
    public let levels: [LevelAnswer]
    /// The type of the loader that would be asked; nil where no loader takes the request, or none may be asked.
    public let loader: String?
    /// Why the loader would not be asked at this time.
    public let loadRefusal: ImageError?
    /// The format of the cached bytes; nil where there are none.
    public let format: ImageFormat?
    /// The type of the coder that would decode them; nil where it is chosen only when the bytes are there.
    public let coder: String?
    /// Bytes that the body may have.
    public let bodyLimit: ByteCount
    /// What a file may ask for.
    public let limits: DecodeLimits
    /// The merged context.
    public let context: ImageContext

    /// Several lines for people.
    public var description: String {
        var lines = ["url: \(url ?? "none")", "key: \(key)"]
        if originalKey != key { lines.append("original key: \(originalKey)") }
        if let problem { lines.append("problem: \(problem)") }
        for level in levels { lines.append(level.description) }
        lines.append("loader: \(loader ?? "none")" + (loadRefusal.map { ", not asked: \($0)" } ?? ""))
        lines.append("coder: \(coder ?? "chosen by the first bytes")" + (format.map { ", for \($0)" } ?? ""))
        lines.append("limits: body \(bodyLimit), \(limits)")
        lines.append("context: \(context)")
        return lines.joined(separator: "\n")
    }
}

extension RequestExplanation.LevelAnswer: CustomStringConvertible {
    /// For example `disk, original: fresh, 20.0 KiB`.
    public var description: String {
        let names: [(CacheLevels, String)] = [(.memory, "memory"), (.disk, "disk"), (.shared, "shared")]
        let name = names.filter { level.contains($0.0) }.map(\.1).joined(separator: " and ")
        var text = "\(name), \(isOriginal ? "original" : "target"): \(state.rawValue)"
        if let size { text += ", \(size)" }
        if let failure { text += " (\(failure))" }
        return text
    }
}

/// Asks what a request would meet.
struct RequestExplainer {
    private let plan: RequestPlan
    private let parts: ManagerParts
    private let plugins: RequestPlugins

    init(_ plan: RequestPlan, _ parts: ManagerParts) {
        self.plan = plan
        self.parts = parts
        plugins = RequestPlugins(plan, parts)
    }

    func explanation() async -> RequestExplanation {
        var answers = [memory]
        var head: Data?
        for level in [CacheLevels.disk, .shared] {
            let (answer, data) = await ask(
                plugins.cache, plan.targetKey, level, plan.policy.queryLevels, false)
            answers.append(answer)
            head = head ?? data
        }
        if plan.machinePlan.queriesOriginal {
            for level in [CacheLevels.disk, .shared] {
                let (answer, data) = await ask(
                    plugins.originalCache, plan.originalKey, level, plan.policy.originalQueryLevels, true)
                answers.append(answer)
                head = head ?? data
            }
        }
        return explanation(answers, head)
    }

    private func explanation(
        _ levels: [RequestExplanation.LevelAnswer], _ head: Data?
    ) -> RequestExplanation {
        let request = plan.url.map { plan.loadRequest($0, priority: .normal) }
        return RequestExplanation(
            problem: plan.problem, url: plan.redactedURL, key: plan.targetKey, originalKey: plan.originalKey,
            levels: levels, loader: request.flatMap { loaderName(for: $0) },
            loadRefusal: plan.machinePlan.refusal ?? parts.blockingFailure(plan, plugins),
            format: head.flatMap { plugins.coder.format(of: $0.bytes) }, coder: coderName(for: head),
            bodyLimit: plan.policy.bodyLimit,
            limits: plan.decodeOptions.limits, context: plan.context)
    }

    private func loaderName(for request: LoadRequest) -> String? {
        guard plugins.loader.canLoad(request) else { return nil }
        let chosen = (plugins.loader as? LoadersManager)?.loader(for: request) ?? plugins.loader
        return "\(type(of: chosen))"
    }

    private func coderName(for head: Data?) -> String? {
        guard let manager = plugins.coder as? CodersManager else { return "\(type(of: plugins.coder))" }
        return head.flatMap { manager.coder(for: $0.bytes) }.map { "\(type(of: $0))" }
    }

    private var memory: RequestExplanation.LevelAnswer {
        let asks = plan.policy.queryLevels.contains(.memory)
        let entry = asks ? plugins.cache.memoryEntry(for: plan.targetKey) : nil
        return answer(
            .memory, isOriginal: false, asks ? state(entry?.metadata) : .notAsked, entry?.metadata,
            size: entry?.image.memoryCost)
    }

    private func ask(
        _ cache: any ImageCaching, _ key: CacheKey, _ level: CacheLevels, _ asked: CacheLevels,
        _ isOriginal: Bool
    ) async -> (RequestExplanation.LevelAnswer, Data?) {
        guard asked.contains(level) else { return (answer(level, isOriginal: isOriginal, .notAsked), nil) }
        let result = await Task(executorPreference: parts.ioPool) {
            try await cache.entry(for: key, in: level)
        }.result
        switch result {
        case .success(let entry):
            let size = entry.map { ByteCount($0.data.count) }
            return (
                answer(level, isOriginal: isOriginal, state(entry?.metadata), entry?.metadata, size: size),
                entry?.data
            )
        case .failure(let error):
            return (answer(level, isOriginal: isOriginal, .failed, failure: "\(error)"), nil)
        }
    }

    private func state(_ metadata: EntryMetadata?) -> RequestExplanation.LevelAnswer.State {
        guard let metadata else { return .absent }
        switch plan.judge(metadata, parts.time) {
        case .fresh?: return .fresh
        case .stale?: return .stale
        case nil: return .expired
        }
    }

    private func answer(
        _ level: CacheLevels, isOriginal: Bool, _ state: RequestExplanation.LevelAnswer.State,
        _ metadata: EntryMetadata? = nil, size: ByteCount? = nil, failure: String? = nil
    ) -> RequestExplanation.LevelAnswer {
        RequestExplanation.LevelAnswer(
            isOriginal: isOriginal, level: level, state: state, storedAt: metadata?.storedAt, size: size,
            failure: failure)
    }
}
