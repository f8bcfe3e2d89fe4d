// SPDX-License-Identifier: MIT
internal import WICore

/// A clock whose time moves only when the test says so.
///
/// It serves wherever an `any Clock<Duration>` is asked for. `advance(by:)` resumes the tasks that sleep
/// until then, earliest deadline first, those of one deadline in the order in which they went to sleep.
/// `waitForSleepers(_:)` tells the test when they are asleep.
package final class ManualClock: Clock {
    /// A time, counted from the clock's beginning.
    package struct Instant: InstantProtocol {
        package var offset: Duration

        package init(offset: Duration = .zero) { self.offset = offset }
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private typealias Sleep = CheckedContinuation<Bool, Never>

    private struct Sleeper: Sendable {
        let id: Int
        let deadline: Instant
        let continuation: Sleep
    }

    private struct Watcher: Sendable {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var now = Instant()
        var nextID = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var watchers: [Watcher] = []
    }

    private let state = Locked(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// Tasks that are asleep now.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves the time on and wakes whoever sleeps until then.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        }
        for sleeper in woken { sleeper.continuation.resume(returning: true) }
    }

    /// Sleeps until the time has been moved to `deadline`; throws `CancellationError` when the task is
    /// cancelled.
    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state -> Int in
            state.nextID += 1
            return state.nextID
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { begin(Sleeper(id: id, deadline: deadline, continuation: $0)) }
        } onCancel: {
            cancel(id)
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        if !isOver { throw CancellationError() }
    }

    private func begin(_ sleeper: Sleeper) {
        let (answer, watchers) = state.withLock { state -> (Bool?, [Watcher]) in
            if state.cancelled.contains(sleeper.id) { return (false, []) }
            if sleeper.deadline <= state.now { return (true, []) }
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            let watchers = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return (nil, watchers)
        }
        if let answer { sleeper.continuation.resume(returning: answer) }
        for watcher in watchers { watcher.continuation.resume() }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            state.cancelled.insert(id)
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(returning: false)
    }

    /// Comes back once at least `count` tasks are asleep.
    package func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state -> Bool in
                guard state.sleepers.count < count else { return true }
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
