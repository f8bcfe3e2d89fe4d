// SPDX-License-Identifier: MIT

/// Lets what is written under one key be written in the order in which it was asked for, whatever threads do it.
///
/// A turn is taken where the order is decided, without waiting; whoever writes waits for the turns before it.
package final class WriteOrder: Sendable {
    /// A place in line, to be used once.
    package final class Turn: Sendable {
        private struct State: Sendable {
            var before: [Turn]
            var isOver = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        fileprivate let keys: [CacheKey]
        private let state: Locked<State>

        fileprivate init(_ keys: [CacheKey], after before: [Turn]) {
            self.keys = keys
            state = Locked(State(before: before))
        }

        fileprivate func waitForOthers() async {
            // Taken out: a line of many turns is not held by its end.
            let before = state.withLock { state in
                defer { state.before = [] }
                return state.before
            }
            for turn in before { await turn.waitForEnd() }
        }

        private func waitForEnd() async {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting.append(continuation) }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        }

        fileprivate func end() {
            let waiting = state.withLock { state in
                state.isOver = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private let last = Locked<[CacheKey: Turn]>([:])

    package init() {}

    /// The next place in the lines of all `keys`. It has to be used: those behind it wait for it.
    package func turn(for keys: CacheKey...) -> Turn {
        last.withLock { last in
            let turn = Turn(keys, after: keys.compactMap { last[$0] })
            for key in keys { last[key] = turn }
            return turn
        }
    }

    /// Calls `body` when all that had a turn before for one of the keys are through.
    package func write(in turn: Turn, _ body: () async -> Void) async {
        await turn.waitForOthers()
        await body()
        last.withLock { last in
            for key in turn.keys where last[key] === turn { last[key] = nil }
        }
        turn.end()
    }

    /// Keys that somebody writes, or waits to write.
    package var count: Int { last.withLock { $0.count } }
}
