// SPDX-License-Identifier: MIT
internal import WICore

/// A gate that async code waits at until a test opens it, and a bell that tells the test how many have come.
///
/// Nothing here waits for time: a test waits for arrivals, and opens.
package final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var arrivals = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<UInt64> = []
        var next: UInt64 = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let state: Locked<State>

    package init(isOpen: Bool = false) {
        state = Locked(State(isOpen: isOpen))
    }

    package var arrivals: Int { state.withLock { $0.arrivals } }

    /// Arrives, and waits until the gate is open or the task is cancelled.
    package func pass() async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { arrive(number, $0) }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled.insert(number)
                return state.waiting.removeValue(forKey: number)
            }
            continuation?.resume()
        }
    }

    private func arrive(_ number: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        let (passes, watchers) = state.withLock { state in
            state.arrivals += 1
            let passes = state.isOpen || state.cancelled.contains(number)
            if !passes { state.waiting[number] = continuation }
            let arrivals = state.arrivals
            let due = state.watchers.filter { $0.count <= arrivals }.map(\.continuation)
            state.watchers.removeAll { $0.count <= arrivals }
            return (passes, due)
        }
        for watcher in watchers { watcher.resume() }
        if passes { continuation.resume() }
    }

    /// Lets everybody through, now and later.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Holds back whoever comes from now on.
    package func close() { state.withLock { $0.isOpen = false } }

    /// Waits until `count` have arrived in all.
    package func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals < count { state.watchers.append((count, continuation)) }
                return state.arrivals >= count
            }
            if isThere { continuation.resume() }
        }
    }
}
