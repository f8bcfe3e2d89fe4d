// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// Finds out what a file's head says with as few bytes as may be.
struct HeadReader {
    /// Ends a transfer that has told enough.
    private struct Enough: Error {}

    private let plan: RequestPlan
    private let parts: ManagerParts
    private let plugins: RequestPlugins

    init(_ plan: RequestPlan, _ parts: ManagerParts) {
        self.plan = plan
        self.parts = parts
        plugins = RequestPlugins(plan, parts)
    }

    func info() async throws(ImageError) -> ImageInfo {
        if let problem = plan.problem { throw problem }
        let outcome = Locked<Result<ImageInfo, ImageError>?>(nil)
        let reader = self
        let task = parts.onIO {
            let result: Result<ImageInfo, ImageError>
            do throws(ImageError) {
                result = .success(try await reader.read())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try (outcome.withLock { $0 } ?? .failure(.cancelled(.load, url: plan.url))).get()
    }

    private func read() async throws(ImageError) -> ImageInfo {
        if let data = await cached() { return try probe(data) }
        switch plan.source {
        case .data(let data): return try probe(data)
        case .file(let path): return try probe(try readFile(path, limit: plan.policy.bodyLimit))
        case .url(let url): return try await load(plan.url ?? url)
        }
    }

    private func cached() async -> Data? {
        let levels = plan.policy.queryLevels.subtracting(.memory)
        guard !levels.isEmpty,
            let entry = try? await plugins.originalCache.entry(for: plan.originalKey, in: levels),
            plan.judge(entry.metadata, parts.time) == .fresh
        else { return nil }
        return entry.data
    }

    private func probe(_ data: Data) throws(ImageError) -> ImageInfo {
        guard plugins.coder.format(of: data.bytes) != nil else {
            throw unrecognized(data.bytes).naming(plan.url)
        }
        do {
            if case .info(let info) = try plugins.coder.probe(data.bytes, isComplete: true) { return info }
        } catch {
            throw .wrapping(error, as: .corruptData, stage: .decode, url: plan.url)
        }
        throw ImageError(
            .truncatedData, stage: .decode, "The file ends before its head does.", url: plan.url)
    }

    private func load(_ url: URL) async throws(ImageError) -> ImageInfo {
        if plan.policy.fromCacheOnly {
            throw ImageError(
                .cacheMiss, stage: .query, "No cache has the picture, and the request may not load it.",
                url: url)
        }
        let request = plan.loadRequest(url, priority: plan.context[.priority] ?? .normal)
        guard plugins.loader.canLoad(request) else { throw .unsupportedScheme(url) }
        let found = Locked<ImageInfo?>(nil)
        let sink = BodySink(
            url: url, limit: plan.policy.bodyLimit, budget: parts.bodyBudget,
            judge: HeadJudge(plugins.coder) { info in found.withLock { $0 = info } }.judge,
            onProgress: { _, _ in })
        let result: Result<LoadResult, any Error>
        do { result = .success(try await plugins.loader.load(request, into: sink)) } catch {
            result = .failure(error)
        }
        if let info = found.withLock({ $0 }) { return info }
        switch result {
        case .success(.data(let data, _)): return try probe(data)
        case .success(.streamed): return try probe(try sink.finish())
        case .success: throw .wrapping(Enough(), as: .unsupportedFeature, stage: .load, url: url)
        case .failure(let error):
            throw sink.failure ?? .wrapping(error, as: .pluginFailed, stage: .load, url: url)
        }
    }
}

/// Judges a body only until its head is known, and ends the transfer there.
private final class HeadJudge: Sendable {
    private let coder: any ImageCoder
    private let found: @Sendable (ImageInfo) -> Void
    /// Bytes below which asking again is no use.
    private let wanted = Locked(1)

    init(_ coder: any ImageCoder, found: @escaping @Sendable (ImageInfo) -> Void) {
        self.coder = coder
        self.found = found
    }

    func judge(_ bytes: RawSpan, _ isComplete: Bool) throws(ImageError) -> Bool {
        guard isComplete || bytes.byteCount >= wanted.withLock({ $0 }) else { return false }
        if coder.format(of: bytes) == nil {
            if !isComplete, ImageFormat.mayStillDetect(bytes) { return false }
            throw unrecognized(bytes)
        }
        let probe: Probe
        do { probe = try coder.probe(bytes, isComplete: isComplete) } catch {
            throw .wrapping(error, as: .corruptData, stage: .decode)
        }
        switch probe {
        case .needs(let count):
            let next = max(count.bytes, bytes.byteCount + max(1024, bytes.byteCount / 4))
            wanted.withLock { $0 = next }
            return false
        case .info(let info):
            found(info)
            throw .cancelled(.load)
        }
    }
}
