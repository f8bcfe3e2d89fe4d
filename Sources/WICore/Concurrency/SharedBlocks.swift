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
        let isOpen = state.withLock { state -> Bool in
            if !state.isClosed { state.helpers += 1 }
            return !state.isClosed
        }
        guard isOpen else { return }
        takeBlocks()
        let isLast = state.withLock { state -> Bool in
            state.helpers -= 1
            return state.isClosed && state.helpers == 0
        }
        if isLast { isDone.signal() }
    }

    /// Takes blocks until none is left, and waits for those that helpers are at; then the body is let go of.
    func finish() {
        takeBlocks()
        let waits = state.withLock { state -> Bool in
            state.isClosed = true
            state.body = nil
            return state.helpers > 0
        }
        if waits { isDone.wait() }
    }

    private func takeBlocks() {
        while !flag.isRaised, takeBlock() {}
    }

    /// Does one block, and lets go of the body before it returns: the owner's closure must not outlive the owner's call.
    private func takeBlock() -> Bool {
        let (body, block) = state.withLock { state -> ((@Sendable (Int) -> Void)?, Int) in
            guard state.next < count else { return (nil, count) }
            state.next += 1
            return (state.body, state.next - 1)
        }
        guard let body else { return false }
        body(block)
        return true
    }
}
