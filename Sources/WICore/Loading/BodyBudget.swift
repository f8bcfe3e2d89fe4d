// SPDX-License-Identifier: MIT

/// Memory for bodies that arrive or wait for a decoder, shared by all loads of a manager.
///
/// A body over the budget is paused. The oldest body that has begun is never refused, so that one can always be
/// completed, decoded and freed: paused bodies cannot wait for each other, nor for one that still queues.
package final class BodyBudget: Sendable {
    package struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct State: Sendable {
        var next: UInt64 = 0
        var used = 0
        /// Bodies that have begun, and what they hold, oldest first.
        var held: [(number: UInt64, bytes: Int)] = []
        var waiting: [UInt64: @Sendable () -> Void] = [:]

        func mayTake(_ count: Int, _ number: UInt64, _ capacity: Int) -> Bool {
            used + count <= capacity || held.first?.number == number || held.isEmpty
        }

        mutating func add(_ count: Int, _ number: UInt64) {
            used += count
            if let index = held.lastIndex(where: { $0.number == number }) {
                held[index].bytes += count
            } else {
                held.append((number, count))
            }
        }

        mutating func remove(_ number: UInt64) {
            guard let index = held.firstIndex(where: { $0.number == number }) else { return }
            used -= held.remove(at: index).bytes
        }
    }

    private let capacity: ByteCount
    private let state = Locked(State())

    package init(capacity: ByteCount) { self.capacity = capacity }

    /// Bytes in use.
    package var used: ByteCount { state.withLock { ByteCount($0.used) } }

    package func open() -> Ticket {
        state.withLock { state in
            defer { state.next += 1 }
            return Ticket(number: state.next)
        }
    }

    /// Whether `count` more bytes may be kept for this body now.
    package func request(_ count: Int, _ ticket: Ticket) -> Bool {
        state.withLock { state in
            guard state.mayTake(count, ticket.number, capacity.bytes) else { return false }
            state.add(count, ticket.number)
            return true
        }
    }

    /// Calls `resume` once when a request of this ticket may succeed: at once, if that is now.
    package func notify(_ ticket: Ticket, _ resume: @escaping @Sendable () -> Void) {
        let now = state.withLock { state -> Bool in
            if state.mayTake(1, ticket.number, capacity.bytes) { return true }
            state.waiting[ticket.number] = resume
            return false
        }
        if now { resume() }
    }

    package func wait(_ ticket: Ticket) async {
        await withCheckedContinuation { continuation in
            notify(ticket) { continuation.resume() }
        }
    }

    /// Gives everything of the body back, and resumes it if it waits, to learn that it is over.
    package func close(_ ticket: Ticket) {
        let resumed = state.withLock { state -> [@Sendable () -> Void] in
            state.remove(ticket.number)
            var resumed: [@Sendable () -> Void] = []
            for (number, resume) in state.waiting
            where number == ticket.number || state.mayTake(1, number, capacity.bytes) {
                resumed.append(resume)
                state.waiting[number] = nil
            }
            return resumed
        }
        for resume in resumed { resume() }
    }
}
