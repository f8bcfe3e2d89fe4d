// SPDX-License-Identifier: MIT
internal import WICore

/// The end of a transfer, which is told once, from whatever thread comes first.
final class TransferEnd: Sendable {
    typealias Answer = Result<LoadResult, ImageError>

    private struct State: Sendable {
        var continuation: CheckedContinuation<Answer, Never>?
        var answer: Answer?
    }

    private let state = Locked(State())

    func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        let answer = state.withLock { state in
            if state.answer == nil { state.continuation = continuation }
            return state.answer
        }
        if let answer { continuation.resume(returning: answer) }
    }

    /// Ends the transfer; the first end counts.
    func finish(_ answer: Answer) {
        let continuation = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard state.answer == nil else { return nil }
            state.answer = answer
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: answer)
    }

    var hasCome: Bool { state.withLock { $0.answer != nil } }
}
