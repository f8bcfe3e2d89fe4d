// SPDX-License-Identifier: MIT

/// Blocks of one piece of work that several threads take until none is left.
///
/// Who owns the work takes blocks like everybody else, and so waits for nobody that has not begun: a helper that comes
/// too late finds nothing to do.
final class SharedBlocks: Sendable {
    private struct State: Sendable {
        var body: (@Sendable (Int) -> Void)?
        var next = 0
        var helpers = 0
        var isClosed = false
    }

    private let count: Int
    private let flag: CancellationFlag
    private let state: Locked<State>
    private let isDone = ThreadSignal()

    init(_ count: Int, _ flag: CancellationFlag, _ body: @escaping @Sendable (Int) -> Void) {
        self.count = count
        self.flag = flag
        state = Locked(State(body: body))
    }

    /// Takes blocks until none is left, for the owner.
    func help() {
        let body = state.withLock { state -> (@Sendable (Int) -> Void)? in
            guard !state.isClosed else { return nil }
            state.helpers += 1
            return state.body
        }
        guard let body else { return }
        takeBlocks(body)
        let isLast = state.withLock { state -> Bool in
            state.helpers -= 1
            return state.isClosed && state.helpers == 0
        }
        if isLast { isDone.signal() }
    }

    /// Takes blocks until none is left, and waits for those that helpers are at; then the body is let go of.
    func finish() {
        if let body = state.withLock({ $0.body }) { takeBlocks(body) }
        let waits = state.withLock { state -> Bool in
            state.isClosed = true
            state.body = nil
            return state.helpers > 0
        }
        if waits { isDone.wait() }
    }

    private func takeBlocks(_ body: @Sendable (Int) -> Void) {
        while !flag.isRaised, let block = nextBlock() { body(block) }
    }

    private func nextBlock() -> Int? {
        state.withLock { state in
            guard state.next < count else { return nil }
            state.next += 1
            return state.next - 1
        }
    }
}
