// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// What a load gave: bytes with their head, or a picture.
struct LoadedBody: Sendable {
    var data = Data()
    var image: DecodedImage?
    var head = ResponseHead()
    /// The stored answer is still good; `head` is all that came.
    var isNotModified = false
    /// Nothing was loaded: another process has filled the caches.
    var isFilledElsewhere = false
    /// When the loader was asked, in seconds since 1970.
    var requestedAt: Double?
    /// Held until the bytes are decoded: their memory counts as long as it lives.
    var sink: BodySink?
}

/// The shell around ``DownloadMachine``: performs its actions for one load.
final class DownloadJob: Sendable {
    typealias Delivery = @Sendable (Result<LoadedBody, ImageError>) -> Void
    typealias Progress = @Sendable (_ received: Int, _ expected: Int?, _ sink: BodySink) -> Void

    private struct State: Sendable {
        var machine = DownloadMachine()
        var result: Result<LoadedBody, ImageError>?
        var listeners: [SubscriberID: (deliver: Delivery, progress: Progress)] = [:]
        var task: Task<Void, Never>?
        /// Whether the loader is through; it may be before its task is noted, which then must not be.
        var hasReturned = false
        /// Kept until what was loaded is stored.
        var turn: HeldTurn?
        var sink: BodySink?
    }

    private let state = Locked(State())
    private let key: DownloadKey
    private let request: LoadRequest
    private let loader: any ImageLoading
    private let coder: any ImageCoder
    private let limits: DecodeLimits
    /// The key that is filled for other processes too; nil where none waits.
    private let fillKey: CacheKey?
    private let parts: ManagerParts

    init(
        _ key: DownloadKey, _ request: LoadRequest, loader: any ImageLoading, coder: any ImageCoder,
        limits: DecodeLimits, fillKey: CacheKey? = nil, parts: ManagerParts
    ) {
        self.key = key
        self.request = request
        self.loader = loader
        self.coder = coder
        self.limits = limits
        self.fillKey = fillKey
        self.parts = parts
    }

    /// Adds a listener; false when the load is over, so that another one must be made.
    func join(
        _ id: SubscriberID, _ priority: LoadPriority, progress: @escaping Progress,
        deliver: @escaping Delivery
    ) -> Bool {
        let (accepted, actions) = state.withLock { state in
            let (accepted, actions) = state.machine.join(id, priority)
            if accepted { state.listeners[id] = (deliver, progress) }
            return (accepted, actions)
        }
        perform(actions)
        return accepted
    }

    func leave(_ id: SubscriberID) {
        let actions = state.withLock { state in
            state.listeners[id] = nil
            return state.machine.handle(.leave(id))
        }
        perform(actions)
        endIfOver()
    }

    /// Ends what is over: the turn with the last who wanted the bytes, the job with the loader too.
    private func endIfOver() {
        let (isOver, turn) = state.withLock { state in
            guard state.machine.hasEnded else { return (false, HeldTurn?.none) }
            defer { state.turn = nil }
            return (state.hasReturned, state.turn)
        }
        parts.release(turn)
        if isOver { parts.downloads.end(self) }
    }

    func setPriority(_ priority: LoadPriority, of id: SubscriberID) {
        perform(state.withLock { $0.machine.handle(.setPriority(priority, id)) })
    }

    private func perform(_ actions: [DownloadMachine.Action], first: Result<LoadedBody, ImageError>? = nil) {
        for action in actions {
            switch action {
            case .start(let priority): start(priority)
            case .cancel: cancel()
            case .setPriority(let priority):
                if let sink = state.withLock({ $0.sink }) { loader.setPriority(priority, of: sink) }
            case .retire: parts.downloads.retire(key, self)
            case .deliver(let ids): deliver(ids, first)
            }
        }
    }

    private func start(_ priority: LoadPriority) {
        var request = request
        request.priority = priority
        let judge = BodyJudge(coder: coder, limits: limits)
        let sink = BodySink(
            url: request.url, limit: request.bodyLimit, budget: parts.bodyBudget,
            files: parts.bodyFiles, progressStep: request.context[.progressInterval] ?? 0.01,
            judge: judge.judge,
            onProgress: { [weak self] in self?.progress($0, $1) })
        state.withLock { $0.sink = sink }
        let task = parts.onIO { [self, request] in
            await load(request, sink)
        }
        let isOver = state.withLock { state in
            if !state.hasReturned { state.task = task }
            return state.machine.hasEnded && state.result == nil
        }
        if isOver { cancel() }
    }

    private func load(_ request: LoadRequest, _ sink: BodySink) async {
        if await isFilledElsewhere() {
            end(.success(LoadedBody(isFilledElsewhere: true)), keeps: false)
            return
        }
        let result: Result<LoadedBody, ImageError>
        let requestedAt = parts.time.secondsSince1970()
        let span = parts.observe(.load, redacted(request.url))
        do {
            try Task.checkCancellation()
            var loaded = try body(try await loader.load(request, into: sink), sink)
            loaded.requestedAt = requestedAt
            result = .success(loaded)
        } catch {
            result = .failure(
                sink.failure
                    ?? .wrapping(
                        error, as: .pluginFailed, stage: .load, url: request.url,
                        isCancelled: Task.isCancelled))
        }
        span?.end(Self.outcome(result))
        end(result, keeps: (try? result.get()) != nil)
    }

    /// Waits for the turn to fill the key, where several processes do; whether one of them has, so that nothing is to be loaded.
    private func isFilledElsewhere() async -> Bool {
        switch await parts.turn(toFill: fillKey, request.url) {
        case .lookAgain?: return true
        case nil: return false
        case .load(let release)?:
            let turn = parts.hold(release)
            state.withLock { $0.turn = turn }
            // Nobody may want it any more by now.
            endIfOver()
            return false
        }
    }

    private func end(_ result: Result<LoadedBody, ImageError>, keeps: Bool) {
        // The body's memory counts until it is decoded; those who come late are given the bytes alone.
        let kept = result.map { body in
            var kept = body
            kept.sink = nil
            return kept
        }
        let actions = state.withLock { state in
            state.result = kept
            return state.machine.handle(.ended(keeps: keeps))
        }
        perform(actions, first: result)
        state.withLock { state in
            state.hasReturned = true
            state.task = nil
            state.sink = nil
        }
        endIfOver()
    }

    private func body(_ result: LoadResult, _ sink: BodySink) throws(ImageError) -> LoadedBody {
        switch result {
        case .streamed:
            return LoadedBody(data: try sink.finish(), head: sink.head ?? ResponseHead(), sink: sink)
        case .data(let data, let head):
            guard data.count <= request.bodyLimit.bytes else {
                throw ImageError(
                    .bodyLimit, stage: .load,
                    "The body has \(ByteCount(data.count)), more than the limit of \(request.bodyLimit).",
                    url: request.url)
            }
            do throws(ImageError) {
                _ = try BodyJudge(coder: coder, limits: limits).judge(data.bytes, true)
            } catch {
                throw error.naming(request.url)
            }
            return LoadedBody(data: data, head: head)
        case .image(let image): return LoadedBody(image: image)
        case .notModified(let head):
            if !request.validators.isEmpty { return LoadedBody(head: head, isNotModified: true) }
            throw ImageError(
                .notModified, stage: .load, "The server says “not modified”, although nothing is stored.",
                url: request.url)
        }
    }

    private static func outcome(_ result: Result<LoadedBody, ImageError>) -> ObservedOutcome {
        switch result {
        case .failure(let error): .failed(error)
        case .success(let body): body.isNotModified ? .notModified : .loaded(ByteCount(body.data.count))
        }
    }

    private func progress(_ received: Int, _ expected: Int?) {
        let (listeners, sink) = state.withLock { ($0.listeners.values.map(\.progress), $0.sink) }
        guard let sink else { return }
        for listener in listeners { listener(received, expected, sink) }
    }

    private func deliver(_ ids: Set<SubscriberID>, _ first: Result<LoadedBody, ImageError>?) {
        let (kept, listeners) = state.withLock { state in
            (state.result, ids.compactMap { state.listeners.removeValue(forKey: $0)?.deliver })
        }
        guard let result = first ?? kept else { return }
        for listener in listeners { listener(result) }
    }

    private func cancel() {
        let (task, sink) = state.withLock { ($0.task, $0.sink) }
        sink?.cancel(.cancelled(.load, url: request.url))
        task?.cancel()
    }
}
