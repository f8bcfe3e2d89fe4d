// SPDX-License-Identifier: MIT
internal import FoundationEssentials

extension TargetJob {
    func load() {
        switch plan.source {
        case .data(let data): arrived(.success(LoadedBody(data: data)), .data)
        case .file(let path):
            let stage = beginStage()
            let task = parts.onIO { [self] in
                do throws(ImageError) {
                    arrived(
                        .success(LoadedBody(data: try readFile(path, limit: plan.policy.bodyLimit))), .file)
                } catch {
                    arrived(.failure(error), .file)
                }
            }
            note(.task(task), of: stage)
        case .url(let url): download(plan.url ?? url)
        }
    }

    func download(_ url: URL) {
        var request = plan.loadRequest(url, priority: priority)
        request.validators = candidate?.metadata.validators ?? Validators()
        guard plugins.loader.canLoad(request) else {
            handle(.failed(.unsupportedScheme(url)))
            return
        }
        if let reason = parts.blockingFailure(plan, plugins) {
            handle(.failed(reason))
            return
        }
        guard parts.shouldLoad(ImageRequest(plan: plan)) else {
            handle(.failed(ImageError(.vetoed, stage: .load, "The delegate refused the load.", url: url)))
            return
        }
        let sharing = plugins.loader.sharingKey(for: request)
        let key = DownloadKey(
            loader: plugins.loaderIdentity, sharing: sharing ?? "unshared \(loadID.number)",
            limits: plan.decodeOptions.limits, coder: plugins.coderIdentity)
        let stage = beginStage()
        while true {
            let found = parts.downloads.findOrInsert(key) {
                DownloadJob(
                    key, request, loader: plugins.loader, coder: plugins.coder,
                    limits: plan.decodeOptions.limits, fillKey: fillKey, parts: parts)
            }
            guard let (job, _) = found else {
                handle(.failed(.shutDown(url)))
                return
            }
            // The handle is noted first: the result may arrive, and the next stage begin, before `join` returns.
            note(.download(job), of: stage)
            state.withLock { $0.download = job }
            let joined = job.join(
                loadID, request.priority, progress: { [weak self] in self?.progress($0, $1, $2) }
            ) {
                [self] in arrived($0, .loader)
            }
            // One who left in between was not yet there to be taken out.
            if joined, state.withLock({ $0.machine.hasEnded }) { job.leave(loadID) }
            if joined { return }
            parts.downloads.retire(key, job)
        }
    }

    /// What this load fills for all processes; nil where it fills nothing that was looked for.
    private var fillKey: CacheKey? {
        state.withLock { state in
            let way = state.machine.plan
            let fills = (way.queriesTarget || way.queriesOriginal) && (way.storesOriginal || way.storesTarget)
            return fills && state.candidate == nil && !state.hasLookedAgain ? plan.originalKey : nil
        }
    }

    func arrived(_ result: Result<LoadedBody, ImageError>, _ origin: ImageResult.Origin) {
        switch result {
        case .failure(let error): handle(.failed(error.naming(plan.url)))
        case .success(let body) where body.isFilledElsewhere:
            state.withLock { $0.hasLookedAgain = true }
            handle(.filledElsewhere)
        case .success(let body):
            let metadata = EntryMetadata(body, plan, parts.time)
            if let candidate, body.isNotModified || (body.image == nil && body.data == candidate.data) {
                confirm(candidate.metadata.updated(by: metadata))
                return
            }
            if body.image != nil, plan.policy.goal != .image {
                handle(.failed(.noBytes(plan.url)))
                return
            }
            closePreviews()
            let isStorable = plan.policy.freshness.allowsStoring(metadata, request: plan.requestHeaders)
            handle(body.image == nil ? .loadedBytes(isStorable: isStorable) : .loadedImage) { payload in
                payload = Payload(
                    data: body.image == nil ? body.data : nil, metadata: metadata, image: body.image,
                    origin: origin, sink: body.sink)
            }
        }
    }

    private var candidate: Payload? { state.withLock { $0.candidate } }

    /// The candidate is what the server would send: its metadata begin anew.
    private func confirm(_ metadata: EntryMetadata) {
        let isStorable = plan.policy.freshness.allowsStoring(metadata, request: plan.requestHeaders)
        state.withLock { state in
            state.candidate?.metadata = metadata
            state.candidate?.isStale = false
        }
        handle(.notModified(isStorable: isStorable))
    }

    func progress(_ received: Int, _ expected: Int?, _ sink: BodySink) {
        let tasks = state.withLock { Array($0.tasks.values) }
        for task in tasks { task.show(.progress(received: received, expected: expected)) }
        previews?.advance(received, expected, sink, priority)
    }

    /// What makes previews, where they are wanted and nothing better is shown already.
    private var previews: PreviewFeed? {
        guard plan.policy.isProgressive else { return nil }
        return state.withLock { state in
            if state.machine.hasEnded || state.candidate != nil { return nil }
            if state.previews == nil {
                state.previews = PreviewFeed(plan, plugins.coder, parts) { [weak self] in self?.show($0) }
            }
            return state.previews
        }
    }

    private func closePreviews() {
        let previews = state.withLock { $0.previews }
        previews?.close()
    }

    private func show(_ preview: ImagePreview) {
        let tasks = state.withLock { Array($0.tasks.values) }
        for task in tasks { task.show(.preview(preview)) }
    }
}

extension ImageError {
    fileprivate static func noBytes(_ url: URL?) -> ImageError {
        ImageError(
            .unsupportedFeature, stage: .load,
            "The loader makes a picture of its own and has no bytes to give; ask for the picture.", url: url)
    }
}
