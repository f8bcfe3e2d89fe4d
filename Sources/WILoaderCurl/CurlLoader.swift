// SPDX-License-Identifier: MIT
internal import FoundationEssentials
public import WICore

/// Loads http and https through libcurl: one thread for any number of transfers, connections kept and shared.
///
/// Bodies are taken as the server holds them: no content coding is asked for, so that a cut one is always noticed. libcurl
/// and the thread are only there once something is loaded.
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

    /// A loader.
    public init(
        configuration: CurlLoaderConfiguration = CurlLoaderConfiguration(), time: TimeSource = .system
    ) {
        self.configuration = configuration
        self.time = time
    }

    deinit {
        let engine = state.withLock { $0.engine }
        engine?.send(.stop)
    }

    /// Whether the scheme is http or https.
    public func canLoad(_ request: LoadRequest) -> Bool {
        let scheme = request.url.scheme?.lowercased()
        return scheme == "http" || scheme == "https"
    }

    /// Loads. Cancelling the task ends the transfer at once.
    ///
    /// - Throws: ``ImageError`` with code `httpStatus`, `network`, `hostNotFound`, `tls`, `timeout`, `incompleteBody`,
    ///   `redirectLimit`, `redirectRefused`, `cancelled`, `shutDown`, or what the sink found.
    public func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        let engine = try openEngine(request.url)
        let id = state.withLock { state in
            state.next += 1
            state.transfers[ObjectIdentifier(body)] = state.next
            return state.next
        }
        defer { state.withLock { _ = $0.transfers.removeValue(forKey: ObjectIdentifier(body)) } }
        let transfer = CurlTransfer(
            id, request, body, now: time.monotonic, onPause: { [weak engine] in engine?.send(.resume($0)) })
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.wait(continuation)
                if !engine.send(.start(transfer)) { transfer.finish(.failure(.shutDownLoader)) }
            }
        } onCancel: {
            // The answer does not wait for the thread; the thread then takes the transfer away.
            transfer.finish(.failure(.cancelled(.load, url: request.url)))
            engine.send(.cancel(id))
        }
        return try result.get()
    }

    private func openEngine(_ url: URL) throws(ImageError) -> CurlEngine {
        try state.withLock { state throws(ImageError) -> CurlEngine in
            guard !state.isShutDown else { throw ImageError.shutDownLoader.naming(url) }
            if let engine = state.engine { return engine }
            guard let engine = CurlEngine(configuration, time) else {
                throw ImageError(
                    .network, stage: .load, "libcurl is not installed: apt-get install libcurl4.", url: url)
            }
            state.engine = engine
            return engine
        }
    }

    /// Moves a transfer that still waits.
    public func setPriority(_ priority: LoadPriority, of body: BodySink) {
        let (engine, id) = state.withLock { ($0.engine, $0.transfers[ObjectIdentifier(body)]) }
        if let engine, let id { engine.send(.setPriority(priority, id)) }
    }

    /// Ends all transfers with `shutDown` and the thread; later loads end so too.
    public func shutdown() async {
        let engine = state.withLock { state in
            state.isShutDown = true
            return state.engine
        }
        await engine?.stop()
    }
}
