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
        var engine: CurlEngine?
        var isShutDown = false
        var next: UInt64 = 0
        /// The transfers that feed sinks, for changes of priority.
        var transfers: [ObjectIdentifier: TransferQueue.ID] = [:]
    }

    /// The configuration that it was made with.
    public let configuration: CurlLoaderConfiguration
    private let time: TimeSource
    private let state = Locked(State())
    /// The process that the thread is in, 0 before the first load; outside the lock, which a fork may leave locked.
    private let process = Atomic<Int32>(0)

    /// A loader; `time` measures the timeouts.
    public init(
        configuration: CurlLoaderConfiguration = CurlLoaderConfiguration(), time: TimeSource = .system
    ) {
        self.configuration = configuration
        self.time = time
    }

    deinit {
        guard !isForked else { return }
        state.withLock { $0.engine }?.stop()
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
    /// - Throws: ``ImageError`` with code `httpStatus`, `network`, `hostNotFound`, `tls`, `timeout`, `incompleteBody`,
    ///   `contentCoding`, `redirectLimit`, `redirectRefused`, `sourceRefused`, `addressRefused`, `unsupportedScheme`, `invalidURL`, `invalidArgument` (a header field that
    ///   cannot be sent), `outOfMemory`, `cancelled`, `shutDown`, or what the sink found.
    public func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        guard canLoad(request) else {
            throw ImageError(
                .unsupportedScheme, stage: .load, "Only http and https are loaded.", url: request.url)
        }
        let fields = try RequestFields(for: request, configuration)
        let (engine, id) = try enter(request.url, body)
        defer { leave(id, body) }
        let hop = try Hop(request.url, fields, configuration.sourcePolicy)
        let transfer = CurlTransfer(
            id, request, hop, body, configuration, now: time.monotonic,
            onResume: { [weak engine] in engine?.send(.resume($0)) })
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.end.wait(continuation)
                if !engine.send(.start(transfer)) {
                    transfer.end.finish(.failure(ImageError.shutDownLoader.naming(request.url)))
                }
            }
        } onCancel: {
            // The answer does not wait for the thread; the thread then takes the transfer away.
            transfer.end.finish(.failure(.cancelled(.load, url: request.url)))
            engine.send(.cancel(id))
        }
        return try answer.get()
    }

    /// Moves a transfer that still waits.
    public func setPriority(_ priority: LoadPriority, of body: BodySink) {
        guard !isForked else { return }
        let (engine, id) = state.withLock { ($0.engine, $0.transfers[ObjectIdentifier(body)]) }
        if let engine, let id { engine.send(.setPriority(priority, id)) }
    }

    /// Ends all loads with `shutDown`, closes the connections and ends the thread; later loads end with `shutDown` too.
    ///
    /// Comes back when the thread has ended. To call it again does nothing.
    public func shutdown() async {
        guard !isForked else { return }
        let engine = state.withLock { state in
            state.isShutDown = true
            return state.engine
        }
        engine?.stop()
        await engine?.waitForEnd()
    }

    private var isForked: Bool {
        let owner = process.load(ordering: .relaxed)
        return owner != 0 && owner != getpid()
    }

    private func enter(
        _ url: URL, _ body: BodySink
    ) throws(ImageError) -> (CurlEngine, TransferQueue.ID) {
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
            let engine = state.engine ?? CurlEngine(configuration, time)
            if state.engine == nil {
                state.engine = engine
                process.store(getpid(), ordering: .relaxed)
            }
            state.next += 1
            state.transfers[ObjectIdentifier(body)] = state.next
            return (engine, state.next)
        }
    }

    private func leave(_ id: TransferQueue.ID, _ body: BodySink) {
        state.withLock { state in
            guard state.transfers[ObjectIdentifier(body)] == id else { return }
            state.transfers[ObjectIdentifier(body)] = nil
        }
    }
}
