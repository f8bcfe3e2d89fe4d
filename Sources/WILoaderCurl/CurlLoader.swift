// SPDX-License-Identifier: MIT
internal import CurlShim
internal import FoundationEssentials
internal import Synchronization
public import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Loads http and https through libcurl: one thread for any number of transfers, connections kept and shared.
///
/// libcurl is opened, and the thread started, with the first load; the thread ends with ``shutdown()`` or with the loader.
///
/// After a `fork`, a loader that was used before is an error in the child; make another one there.
public final class CurlLoader: ImageLoading {
    private struct State: Sendable {
        var isShutDown = false
        var next: UInt64 = 0
        /// The transfers that feed sinks, for changes of priority.
        var transfers: [ObjectIdentifier: TransferQueue.ID] = [:]
        /// Loads that have a transfer, or keep what came of one.
        var loads = 0
        /// Who waits until there is none.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The configuration that it was made with.
    public let configuration: CurlLoaderConfiguration
    private let time: TimeSource
    private let engine: CurlEngine
    private let observers: TransferObservers
    private let state = Locked(State())
    /// The fields of a request that has none of its own; nil where the configuration's cannot be sent.
    private let usualFields: RequestFields?
    /// The process that the thread is in, 0 before the first load; outside the lock, which a fork may leave locked.
    private let process = Atomic<Int32>(0)

    /// A loader; `time` measures the timeouts and the waits before retries, `random` (from 0 to 1) spreads those.
    public init(
        configuration: CurlLoaderConfiguration = CurlLoaderConfiguration(), time: TimeSource = .system,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.configuration = configuration
        self.time = time
        observers = TransferObservers(configuration.observer)
        engine = CurlEngine(configuration, time, random)
        usualFields = try? RequestFields(for: LoadRequest(url: URL(filePath: "/")), configuration)
    }

    deinit {
        guard !isForked else { return }
        engine.stop()
    }

    /// Whether the scheme is http or https.
    public func canLoad(_ request: LoadRequest) -> Bool {
        let scheme = request.url.scheme?.lowercased()
        return scheme == "http" || scheme == "https"
    }

    /// Loads; cancelling the task ends the load at once, whatever the network does.
    ///
    /// A 304 is `.notModified` where the request has validators. The total timeout counts from this call; the time for
    /// which the request waits for its turn is part of it.
    ///
    /// - Throws: ``ImageError`` with code `httpStatus`, `contentType`, `network`, `hostNotFound`, `tls`, `timeout`,
    ///   `incompleteBody`, `contentCoding`, `redirectLimit`, `redirectRefused`, `sourceRefused`, `addressRefused`,
    ///   `requestRefused`, `responseRefused`, `decryptionFailed`, `unsupportedScheme`, `invalidURL`, `invalidArgument` (a
    ///   header field that cannot be sent, a configuration that contradicts itself), `outOfMemory`, `cancelled`,
    ///   `shutDown`, or what the sink found.
    public func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        let request = try await modified(request)
        guard let decryptor = request.context[.decryptor] ?? configuration.decryptor else {
            return try await transfer(request, into: body, for: body)
        }
        let coded = body.collecting()
        let result = try await transfer(request, into: coded, for: body)
        guard case .streamed = result, let head = coded.head else { return result }
        let data = try coded.finish()
        do {
            return .data(try decryptor.decrypt(data, head), head)
        } catch {
            throw ImageError.wrapping(error, as: .decryptionFailed, stage: .load, url: request.url)
        }
    }

    /// All that goes over the wire; nil, never shared, where the request has a modifier or decryptor without a name.
    public func sharingKey(for request: LoadRequest) -> String? {
        let context = request.context
        let names = [
            context[.requestModifier].map(\.name), context[.responseModifier].map(\.name),
            context[.decryptor].map(\.name),
        ]
        guard names.contains(where: { $0 != nil }) else { return request.wireKey }
        var parts: [KeyPart] = []
        for (index, name) in names.enumerated() {
            guard let given = name else { continue }
            guard let name = given else { return nil }
            parts.append(KeyPart("\(index)", name))
        }
        return CacheKey(request.wireKey, parts: parts).text
    }

    // MARK: - While it works

    /// Moves a transfer that still waits.
    public func setPriority(_ priority: LoadPriority, of body: BodySink) {
        guard !isForked else { return }
        let id = state.withLock { $0.transfers[ObjectIdentifier(body)] }
        if let id { engine.send(.setPriority(priority, id)) }
    }

    /// Changes how many transfers run at once, in all and to one host; what runs goes on.
    public func setMaximumTransfers(_ total: Int, perHost: Int) {
        guard !isForked else { return }
        engine.change {
            $0.total = total
            $0.perHost = perHost
        }
    }

    /// Whether transfers that wait keep waiting; what runs goes on, until it is redirected or tried again.
    public var isSuspended: Bool {
        get { isForked ? false : engine.control.isSuspended }
        set {
            guard !isForked else { return }
            engine.change { $0.isSuspended = newValue }
        }
    }

    /// Ends all loads with `cancelled`; later ones are taken as before.
    public func cancelAll() {
        guard !isForked else { return }
        engine.send(.cancelAll)
    }

    /// What happens to transfers from now on; where nobody reads them in time, the newest `limit` events are kept.
    public func events(keeping limit: Int = 1000) -> AsyncStream<TransferEvent> {
        observers.stream(keeping: limit)
    }

    /// Ends all loads with `shutDown`, closes the connections and ends the thread; later loads end with `shutDown` too.
    ///
    /// What is to be kept of bodies that were cut off or cancelled is kept when it returns.
    public func shutdown() async {
        guard !isForked else { return }
        state.withLock { $0.isShutDown = true }
        engine.stop()
        await engine.waitForEnd()
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.loads > 0 { state.waiting.append(continuation) }
                return state.loads == 0
            }
            if isOver { continuation.resume() }
        }
    }

    // MARK: - One load

    private func modified(_ request: LoadRequest) async throws -> LoadRequest {
        guard let modifier = request.context[.requestModifier] ?? configuration.requestModifier else {
            try check(request)
            return request
        }
        do {
            var changed = try await modifier.modify(request)
            changed.context = request.context
            try check(changed)
            return changed
        } catch {
            throw ImageError.wrapping(error, as: .requestRefused, stage: .load, url: request.url)
        }
    }

    private func check(_ request: LoadRequest) throws(ImageError) {
        guard canLoad(request) else {
            throw ImageError(
                .unsupportedScheme, stage: .load, "Only http and https are loaded.", url: request.url)
        }
        if case .url = configuration.proxy, !configuration.addressPolicy.isUnrestricted {
            throw ImageError(
                .invalidArgument, stage: .load,
                "A proxy chooses the address itself; a loader has a proxy or an address policy, not both.",
                url: request.url)
        }
    }

    /// One transfer; `handle` is the sink by which its priority is set.
    private func transfer(
        _ request: LoadRequest, into body: BodySink, for handle: BodySink
    ) async throws -> LoadResult {
        let fields = try fields(for: request)
        let id = try enter(request.url, handle)
        defer { leave(id, handle) }
        let hop = try Hop(request.url, fields, configuration)
        let store = partialStore(for: request, fields)
        let kept = store?.take(request.url.absoluteString)
        let transfer = CurlTransfer(
            id, request, hop, body, engine, observers, partial: kept, now: time.monotonic())
        let answer = await run(transfer)
        if case .failure(let error) = answer, let store {
            keepRemains(of: body, kept, after: error, in: store, request.url)
        }
        return try answer.get()
    }

    /// Those of most requests are the same each time.
    private func fields(for request: LoadRequest) throws(ImageError) -> RequestFields {
        guard request.headers.isEmpty, request.validators.isEmpty, let usualFields else {
            return try RequestFields(for: request, configuration)
        }
        return usualFields
    }

    private func run(_ transfer: CurlTransfer) async -> CurlTransfer.Answer {
        let url = transfer.request.url
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.end.wait(continuation)
                if !engine.send(.start(transfer)) {
                    transfer.end.finish(.failure(ImageError.shutDownLoader.naming(url)))
                }
            }
        } onCancel: {
            // The answer does not wait for the thread; the thread then takes the transfer away.
            transfer.end.finish(.failure(.cancelled(.load, url: url)))
            engine.send(.cancel(transfer.id))
        }
    }

    /// Keeps what came of a body, or what was there of it before where nothing came.
    private func keepRemains(
        of body: BodySink, _ kept: KeptPartial?, after error: ImageError, in store: PartialStore, _ url: URL
    ) {
        let remains = body.takeRemains()
        if let head = body.head, let partial = PartialBody(head, count: remains.count) {
            store.put(remains, partial, url.absoluteString)
        } else if let kept, error.httpStatus == nil {
            store.put(kept.data, kept.body, url.absoluteString)
        }
    }

    /// Where the beginning of this request's body may be kept; nil where it may not.
    private func partialStore(for request: LoadRequest, _ fields: RequestFields) -> PartialStore? {
        guard let settings = configuration.partialDownloads, !fields.hasSecrets, !request.asksForPart,
            request.validators.isEmpty, request.url.user == nil, configuration.credentials.isEmpty,
            configuration.clientCertificates.isEmpty, !configuration.handlesCookies
        else { return nil }
        return PartialStore(settings, time: time)
    }

    private var isForked: Bool {
        let owner = process.load(ordering: .relaxed)
        return owner != 0 && owner != getpid()
    }

    private func enter(_ url: URL, _ body: BodySink) throws(ImageError) -> TransferQueue.ID {
        guard !isForked else {
            throw ImageError(
                .shutDown, stage: .load,
                "The process was forked after the loader's first use; make another loader in the child.",
                url: url)
        }
        if let failure = wi_curl_open() {
            throw ImageError(
                .network, stage: .load,
                "libcurl cannot be opened; install it (on Debian: apt-get install libcurl4).",
                url: url, underlying: String(cString: failure))
        }
        return try state.withLock { state throws(ImageError) in
            guard !state.isShutDown else { throw ImageError.shutDownLoader.naming(url) }
            if process.load(ordering: .relaxed) == 0 { process.store(getpid(), ordering: .relaxed) }
            state.next += 1
            state.loads += 1
            state.transfers[ObjectIdentifier(body)] = state.next
            return state.next
        }
    }

    private func leave(_ id: TransferQueue.ID, _ body: BodySink) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if state.transfers[ObjectIdentifier(body)] == id { state.transfers[ObjectIdentifier(body)] = nil }
            state.loads -= 1
            guard state.loads == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
