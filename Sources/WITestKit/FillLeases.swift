// SPDX-License-Identifier: MIT
package import WICore

/// Turns to fill keys, given out within one process to several managers that play processes: one at a time for a key.
///
/// Who waits looks again when the one before has stored something, and has the turn where it has not.
package final class FillLeases: FillLeasing {
    private struct State: Sendable {
        var busy: Set<CacheKey> = []
        var waiting: [CacheKey: [Gate]] = [:]
        var asked: [CacheKey] = []
        var released = 0
        var failure: ImageError?
    }
    private let state = Locked(State())
    /// Says whether a key is filled, when its turn is given back.
    private let isFilled: @Sendable (CacheKey) -> Bool
    /// Where whoever asks arrives first.
    package let arrival: Gate

    package init(arrival: Gate = Gate(isOpen: true), isFilled: @escaping @Sendable (CacheKey) -> Bool) {
        self.arrival = arrival
        self.isFilled = isFilled
    }

    /// The keys that were asked for, in order.
    package var asked: [CacheKey] { state.withLock { $0.asked } }
    package var released: Int { state.withLock { $0.released } }
    /// Keys that somebody has the turn to fill.
    package var held: Int { state.withLock { $0.busy.count } }
    /// What every asking throws from now on; nil for nothing.
    package func fail(_ error: ImageError?) { state.withLock { $0.failure = error } }

    package func turn(toFill key: CacheKey) async throws -> FillTurn {
        state.withLock { $0.asked.append(key) }
        await arrival.pass()
        while true {
            try Task.checkCancellation()
            let gate = try state.withLock { state throws(ImageError) -> Gate? in
                if let failure = state.failure { throw failure }
                if state.busy.insert(key).inserted { return nil }
                let gate = Gate()
                state.waiting[key, default: []].append(gate)
                return gate
            }
            guard let gate else { return .load { [self] in release(key) } }
            await gate.pass()
            if isFilled(key) { return .lookAgain }
        }
    }

    private func release(_ key: CacheKey) {
        let waiting = state.withLock { state in
            state.released += 1
            state.busy.remove(key)
            return state.waiting.removeValue(forKey: key) ?? []
        }
        for gate in waiting { gate.open() }
    }
}
