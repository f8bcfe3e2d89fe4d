// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// Finds out what a file's head says with as few bytes as may be.
struct HeadReader {
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
        let finding: HeadProbe.Finding
        do throws(ImageError) {
            finding = try HeadProbe(plugins.coder).look(at: data.bytes, isComplete: true)
        } catch {
            throw error.naming(plan.url)
        }
        switch finding {
        case .info(let info): return info
        case .damaged(let error): throw error.naming(plan.url)
        case .undecided:
            throw ImageError(
                .truncatedData, stage: .decode, "The file ends before its head does.", url: plan.url)
        }
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
        let head = HeadProbe(plugins.coder)
        let sink = BodySink(
            url: url, limit: plan.policy.bodyLimit, budget: parts.bodyBudget,
            judge: { bytes, isComplete throws(ImageError) in
                switch try head.look(at: bytes, isComplete: isComplete) {
                case .undecided: return false
                case .damaged(let error): throw error
                case .info(let info):
                    found.withLock { $0 = info }
                    // The transfer has told enough.
                    throw .cancelled(.load)
                }
            },
            onProgress: { _, _ in })
        let result: Result<LoadResult, any Error>
        do { result = .success(try await plugins.loader.load(request, into: sink)) } catch {
            result = .failure(error)
        }
        if let info = found.withLock({ $0 }) { return info }
        switch result {
        case .success(.data(let data, _)): return try probe(data)
        case .success(.streamed): return try probe(try sink.finish())
        case .success:
            throw ImageError(
                .unsupportedFeature, stage: .load, "The loader gives no file whose head could be read.",
                url: url)
        case .failure(let error):
            throw sink.failure ?? .wrapping(error, as: .pluginFailed, stage: .load, url: url)
        }
    }
}
