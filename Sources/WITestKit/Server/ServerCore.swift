// SPDX-License-Identifier: MIT
internal import WICore

/// What the server's threads share: scripts, what was seen, open connections, gates, waiting tests.
final class ServerCore: Sendable {
    typealias Responder = @Sendable (Request) -> Script

    /// What the server has seen so far.
    struct Log: Sendable {
        var requests: [Request] = []
        var counts: [String: Int] = [:]
        var finished: [String: Int] = [:]
        var abandoned: [String: Int] = [:]
        var bytesSent: [String: Int] = [:]
        var connections = 0
        var running = 0
        var mostRunning = 0
    }

    private struct Connection: Sendable {
        let socket: Int32
        let wakeRead: Int32
        let wakeWrite: Int32
        var awaitedGate: String?
    }

    private struct Waiter: Sendable {
        let isSatisfied: @Sendable (Log) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var responders: [String: Responder] = [:]
        var log = Log()
        var connections: [Int: Connection] = [:]
        var threads: [Int: ServerThread] = [:]
        var ended: [Int] = []
        var openGates: Set<String> = []
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        var cancelledWaiters: Set<Int> = []
        var acceptor: ServerThread?
        var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let state = Locked(State())

    init() throws {
        (listener, port) = try ServerSocket.listen()
    }

    var log: Log { state.withLock { $0.log } }

    func respond(_ path: String, _ responder: @escaping Responder) {
        state.withLock { $0.responders[path] = responder }
    }

    /// Changes the log and resumes whoever waited for that.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, resumed) = state.withLock { state -> (Result, [Waiter]) in
            let result = body(&state)
            let ready = state.waiters.filter { state.isStopped || $0.value.isSatisfied(state.log) }
            for id in ready.keys { state.waiters[id] = nil }
            return (result, Array(ready.values))
        }
        for waiter in resumed { waiter.continuation.resume() }
        return result
    }
}

// MARK: Threads

extension ServerCore {
    func start() throws {
        let thread = try ServerThread.start { self.acceptAll() }
        state.withLock { $0.acceptor = thread }
    }

    private func acceptAll() {
        while let socket = ServerSocket.accept(listener) {
            joinEnded()
            serve(socket)
        }
    }

    private func joinEnded() {
        let threads = state.withLock { state -> [ServerThread] in
            defer { state.ended = [] }
            return state.ended.compactMap { state.threads.removeValue(forKey: $0) }
        }
        for thread in threads { thread.join() }
    }

    private func serve(_ socket: Int32) {
        guard let wake = ServerSocket.pipe() else { return ServerSocket.close(socket) }
        let connection = Connection(socket: socket, wakeRead: wake.read, wakeWrite: wake.write)
        let number = state.withLock { state -> Int? in
            guard !state.isStopped else { return nil }
            state.log.connections += 1
            state.connections[state.log.connections] = connection
            return state.log.connections
        }
        guard let number else { return close(connection) }
        // The lock is held so that the thread cannot end before it is on the list.
        let isRunning = state.withLock { state -> Bool in
            guard let thread = try? ServerThread.start({ self.run(number, socket, wake.read) }) else {
                return false
            }
            state.threads[number] = thread
            return true
        }
        if !isRunning { endConnection(number) }
    }

    private func run(_ number: Int, _ socket: Int32, _ wake: Int32) {
        ServerConnection(core: self, number: number, socket: socket, wake: wake).run()
        endConnection(number)
    }

    /// Takes the connection off the list first: `stop` must never touch a descriptor that was closed.
    private func endConnection(_ number: Int) {
        let connection = state.withLock { state -> Connection? in
            state.ended.append(number)
            return state.connections.removeValue(forKey: number)
        }
        if let connection { close(connection) }
    }

    private func close(_ connection: Connection) {
        ServerSocket.close(connection.socket)
        ServerSocket.close(connection.wakeRead)
        ServerSocket.close(connection.wakeWrite)
    }

    func stop() {
        let acceptor = change { state -> ServerThread? in
            state.isStopped = true
            for connection in state.connections.values { ServerSocket.shutDown(connection.socket) }
            defer { state.acceptor = nil }
            return state.acceptor
        }
        guard let acceptor else { return }
        ServerSocket.shutDown(listener)
        acceptor.join()
        ServerSocket.close(listener)
        let threads = state.withLock { state -> [ServerThread] in
            defer { state.threads = [:] }
            return Array(state.threads.values)
        }
        for thread in threads { thread.join() }
    }
}

// MARK: What connections call

extension ServerCore {
    /// Notes the request and finds its script; 404 where there is none.
    func receive(_ head: RequestHead, connection: Int) -> (Request, Script) {
        let parts = head.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? head.target
        let (request, responder) = change { state -> (Request, Responder?) in
            let ordinal = state.log.counts[path, default: 0] + 1
            let request = Request(
                method: head.method, path: path, query: parts.count > 1 ? String(parts[1]) : nil,
                headers: head.headers, ordinal: ordinal, connection: connection)
            state.log.counts[path] = ordinal
            state.log.requests.append(request)
            state.log.running += 1
            state.log.mostRunning = max(state.log.mostRunning, state.log.running)
            return (request, state.responders[path])
        }
        return (request, responder?(request) ?? .failure(404))
    }

    func finish(_ request: Request, abandoned: Bool) {
        change { state in
            state.log.running -= 1
            state.log.finished[request.path, default: 0] += 1
            if abandoned { state.log.abandoned[request.path, default: 0] += 1 }
        }
    }

    func count(_ bytes: Int, sentFor path: String) {
        change { $0.log.bytesSent[path, default: 0] += bytes }
    }

    /// Whether the gate is open; if not, the connection is woken when it is opened.
    func passes(_ gate: String, connection: Int) -> Bool {
        state.withLock { state in
            let isOpen = state.openGates.contains(gate)
            state.connections[connection]?.awaitedGate = isOpen ? nil : gate
            return isOpen
        }
    }
}

// MARK: What tests call

extension ServerCore {
    func release(_ gate: String) {
        state.withLock { state in
            state.openGates.insert(gate)
            for connection in state.connections.values where connection.awaitedGate == gate {
                ServerSocket.signal(connection.wakeWrite)
            }
        }
    }

    func shut(_ gate: String) {
        state.withLock { _ = $0.openGates.remove(gate) }
    }

    /// Comes back when the log satisfies `isSatisfied`, the server is stopped, or the task is cancelled.
    func wait(until isSatisfied: @escaping @Sendable (Log) -> Bool) async {
        let id = state.withLock { state -> Int in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state -> Bool in
                    let isDone =
                        state.isStopped || isSatisfied(state.log) || state.cancelledWaiters.contains(id)
                    if !isDone {
                        state.waiters[id] = Waiter(isSatisfied: isSatisfied, continuation: continuation)
                    }
                    return isDone
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                state.cancelledWaiters.insert(id)
                return state.waiters.removeValue(forKey: id)
            }
            waiter?.continuation.resume()
        }
        state.withLock { _ = $0.cancelledWaiters.remove(id) }
    }
}
