// SPDX-License-Identifier: MIT
internal import RuntimeShim
internal import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The door to a loader's thread: a queue of commands, and the thread's beginning and end.
///
/// The thread starts with the first transfer. It holds this object, never the loader: when that goes, it ends.
final class CurlEngine: Sendable {
    enum Command: Sendable {
        case start(CurlTransfer)
        case cancel(TransferQueue.ID)
        case cancelAll
        case resume(TransferQueue.ID)
        case setPriority(LoadPriority, TransferQueue.ID)
        /// The control has changed.
        case control
    }

    /// What can be changed while the loader works.
    struct Control: Sendable {
        var total: Int
        var perHost: Int
        var isSuspended = false
    }

    private struct State: Sendable {
        var control: Control
        var commands: [Command] = []
        /// To wake the thread with; there while it takes commands.
        var multi: CurlMulti?
        /// Whether the thread waits, or is about to, and has to be woken.
        var isAsleep = false
        var hasThread = false
        var isStopped = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// What there is to do about a command, once the lock is left.
    private enum Step {
        case nothing, refuse, start
        case wakeUp(CurlMulti)
    }

    let configuration: CurlLoaderConfiguration
    let judge: AnswerJudge
    let time: TimeSource
    let random: @Sendable () -> Double
    private let state: Locked<State>

    init(
        _ configuration: CurlLoaderConfiguration, _ time: TimeSource,
        _ random: @escaping @Sendable () -> Double
    ) {
        self.configuration = configuration
        judge = AnswerJudge(configuration)
        self.time = time
        self.random = random
        state = Locked(
            State(
                control: Control(
                    total: configuration.maximumTransfers, perHost: configuration.maximumTransfersPerHost)))
    }

    var control: Control { state.withLock { $0.control } }

    /// Changes what can be changed; the thread learns of it, if there is one.
    func change(_ change: (inout Control) -> Void) {
        state.withLock { change(&$0.control) }
        send(.control)
    }

    /// Gives the thread something to do; false when the engine was stopped.
    @discardableResult
    func send(_ command: Command) -> Bool {
        let step = state.withLock { state -> Step in
            guard !state.isStopped else { return .refuse }
            state.commands.append(command)
            guard state.hasThread else { return prepare(&state) ? .start : .nothing }
            guard let multi = state.multi else { return .nothing }
            // While it works it looks here before it waits; once woken, it takes all that is there.
            guard state.isAsleep else { return .nothing }
            state.isAsleep = false
            return .wakeUp(multi)
        }
        switch step {
        case .refuse: return false
        case .nothing: break
        case .start: startThread()
        case .wakeUp(let multi): multi.wakeUp()
        }
        return true
    }

    /// Ends the thread and with it all transfers; what is sent later is refused.
    func stop() {
        let multi = state.withLock { state in
            state.isStopped = true
            state.isAsleep = false
            return state.multi
        }
        multi?.wakeUp()
    }

    /// Comes back when the thread has ended and its connections are closed; to be called after `stop`.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isRunning = state.withLock { state in
                if state.hasThread { state.waiting.append(continuation) }
                return state.hasThread
            }
            if !isRunning { continuation.resume() }
        }
    }

    // MARK: - For the thread

    /// What was sent since the last time; nil when the thread is to end.
    func takeCommands() -> [Command]? {
        state.withLock { state in
            state.isAsleep = false
            guard !state.isStopped else { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Whether the thread may wait: nothing was sent since the last time. What is sent from now on wakes it.
    func mayWait() -> Bool {
        state.withLock { state in
            guard !state.isStopped, state.commands.isEmpty else { return false }
            state.isAsleep = true
            return true
        }
    }

    /// Gives the multi handle back to the thread, which frees it.
    func releaseMulti() { state.withLock { $0.multi = nil } }

    /// The thread's last word: the transfers that never reached it end, and who waits for the end goes on.
    func threadHasEnded(_ error: ImageError) {
        let (commands, waiting) = state.withLock { state in
            defer {
                state.commands = []
                state.waiting = []
                state.multi = nil
                state.hasThread = false
            }
            return (state.commands, state.waiting)
        }
        for case .start(let transfer) in commands {
            transfer.end.finish(.failure(error.naming(transfer.request.url)))
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: - The thread

    /// Makes ready for the thread; false when the command needs none.
    private func prepare(_ state: inout State) -> Bool {
        guard case .start? = state.commands.last else {
            state.commands = []
            return false
        }
        state.multi = CurlMulti(connections: max(32, configuration.maximumTransfers))
        state.hasThread = true
        return true
    }

    private func startThread() {
        guard let multi = state.withLock({ $0.multi }) else {
            threadHasEnded(
                ImageError(.outOfMemory, stage: .load, "There is no memory for transfers.", isRetryable: true)
            )
            return
        }
        let start = Start(engine: self, multi: multi)
        let status = DetachedThread.start { start.run() }
        guard status != 0 else { return }
        threadHasEnded(
            ImageError(
                .network, stage: .load, "The system gives no thread for transfers.", isRetryable: true,
                underlying: String(cString: strerror(status))))
    }

    /// What the thread begins with, and all that it does.
    private final class Start {
        private let engine: CurlEngine
        private var multi: CurlMulti?

        init(engine: CurlEngine, multi: CurlMulti) {
            self.engine = engine
            self.multi = multi
        }

        func run() {
            wi_thread_set_name("webimage-curl")
            wi_thread_block_sigpipe()
            if let multi { CurlLoop(engine, multi).run() }
            // Freed here, so that the connections are closed before anybody hears of the end.
            engine.releaseMulti()
            multi = nil
            engine.threadHasEnded(.shutDownLoader)
        }
    }
}
