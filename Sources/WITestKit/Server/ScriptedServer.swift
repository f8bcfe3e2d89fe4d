// SPDX-License-Identifier: MIT
package import FoundationEssentials

/// An HTTP/1.1 server on a free port of 127.0.0.1 that answers each path as its script says, well or badly.
///
/// It runs on threads of its own, one for each connection, so that nothing a script does can hold up Swift's
/// pool. A path without a script is answered by 404. It stops when it goes.
package final class ScriptedServer: Sendable {
    private let core: ServerCore

    /// Listens and serves from now on.
    package init() throws {
        core = try ServerCore()
        try core.start()
    }

    deinit { core.stop() }

    /// The port that the system chose.
    package var port: UInt16 { core.port }

    /// The beginning of its URLs: `http://127.0.0.1:PORT`.
    package var baseURL: String { "http://127.0.0.1:\(core.port)" }

    /// The URL of a path, which begins with `/` and may have a query.
    package func url(_ path: String) -> URL {
        // A path that is no URL would be a fault of the test: it then sees the root, which has no script.
        URL(string: baseURL + path) ?? URL(filePath: "/")
    }

    /// Answers requests for this path (given without a query) by `script` from now on.
    package func on(_ path: String, _ script: Script) {
        core.respond(path) { _ in script }
    }

    /// Answers requests for this path by what `respond` returns; it is called on the connection's thread.
    package func on(_ path: String, _ respond: @escaping @Sendable (Request) -> Script) {
        core.respond(path, respond)
    }

    /// Opens a gate for every answer that waits at it, and for those that will come to it.
    package func release(_ gate: String) { core.release(gate) }

    /// Closes a gate again for the answers that will come to it.
    package func shut(_ gate: String) { core.shut(gate) }

    /// Closes every connection and joins every thread; nothing that waits in the server is left waiting.
    package func stop() { core.stop() }
}

extension ScriptedServer {
    /// All requests so far, in the order in which they came.
    package var requests: [Request] { core.log.requests }

    /// Requests for this path so far.
    package func count(_ path: String) -> Int { core.log.counts[path, default: 0] }

    /// Connections that were accepted so far.
    package var connectionCount: Int { core.log.connections }

    /// The most requests that were being answered at one time.
    package var maxConcurrentRequests: Int { core.log.mostRunning }

    /// Requests that are being answered now.
    package var runningRequests: Int { core.log.running }

    /// Answers for this path whose client went away before their end.
    package func abandonedCount(_ path: String) -> Int { core.log.abandoned[path, default: 0] }

    /// Bytes of bodies that the system took for this path so far.
    package func bytesSent(_ path: String) -> Int { core.log.bytesSent[path, default: 0] }

    /// Comes back once `count` requests for this path have arrived, at once if they have already.
    ///
    /// This and the other waits come back early if the task is cancelled or the server stopped.
    package func waitForRequest(_ path: String, count: Int = 1) async {
        await core.wait { $0.counts[path, default: 0] >= count }
    }

    /// Comes back once `count` answers for this path have ended, in whatever way.
    package func waitForEnd(_ path: String, count: Int = 1) async {
        await core.wait { $0.finished[path, default: 0] >= count }
    }

    /// Comes back once the clients of `count` answers for this path went away before the end: cancelled,
    /// timed out.
    package func waitForAbandonment(_ path: String, count: Int = 1) async {
        await core.wait { $0.abandoned[path, default: 0] >= count }
    }

    /// Comes back once so many bytes of bodies were sent for this path.
    package func waitForBytes(_ path: String, _ bytes: Int) async {
        await core.wait { $0.bytesSent[path, default: 0] >= bytes }
    }
}
