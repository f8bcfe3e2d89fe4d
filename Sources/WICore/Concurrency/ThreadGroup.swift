// SPDX-License-Identifier: MIT
internal import RuntimeShim

/// Threads of our own that run closures in the order they come. They start when first needed and end with the group.
final class ThreadGroup: Sendable {
    private final class Core: Sendable {
        struct State: Sendable {
            var queue: [@Sendable () -> Void] = []
            var head = 0
            var threads = 0
            var idle = 0
            var isStopped = false
        }
        let state = Locked(State())
        let signal = ThreadSignal()
        let name: String

        init(name: String) { self.name = name }

        /// The next closure; nil when the group has ended and everything is done.
        func next() -> (@Sendable () -> Void)? {
            signal.wait()
            return state.withLock { state in
                guard state.head < state.queue.count else { return nil }
                let closure = state.queue[state.head]
                state.head += 1
                if state.head == state.queue.count || state.head > 1024 {
                    state.queue.removeFirst(state.head)
                    state.head = 0
                }
                state.idle -= 1
                return closure
            }
        }

        func run() {
            wi_thread_set_name(name)
            wi_thread_block_sigpipe()
            while let closure = next() {
                closure()
                state.withLock { $0.idle += 1 }
            }
        }
    }

    private let core: Core
    private let limit: Int

    init(name: String, threads: Int) {
        core = Core(name: name)
        limit = max(1, threads)
    }

    deinit {
        let threads = core.state.withLock { state -> Int in
            state.isStopped = true
            return state.threads
        }
        for _ in 0..<threads { core.signal.signal() }
    }

    func enqueue(_ closure: @escaping @Sendable () -> Void) {
        let startsThread = core.state.withLock { state -> Bool in
            state.queue.append(closure)
            let waiting = state.queue.count - state.head
            guard waiting > state.idle, state.threads < limit else { return false }
            state.threads += 1
            state.idle += 1
            return true
        }
        if startsThread { start() }
        core.signal.signal()
    }

    private func start() {
        // Decoders of C libraries and a user's transformer both expect an ordinary stack.
        let status = DetachedThread.start(stackSize: 2 << 20) { [core] in core.run() }
        guard status != 0 else { return }
        // No thread to be had: those that run do the work; without any, it waits for the next that starts.
        core.state.withLock { state in
            state.threads -= 1
            state.idle -= 1
        }
    }
}
