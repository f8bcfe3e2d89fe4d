// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// What `--timeout` promises: a load ends by then, whether it waits in a queue, for a server or for a decoder.
struct TimeLimit: Sendable {
    let duration: Duration
    /// Waits so long; fails when its task is cancelled.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// What `body` gives, or, where it does not end in time, the error `timeout`; its task is cancelled then.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Result<Value, ImageError>
    ) async -> Result<Value, ImageError> {
        await withTaskGroup(of: Result<Value, ImageError>?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await sleep(duration)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            // What was written just as time ran out is there, and so no failure.
            guard case .success(let value)?? = await group.next() else { return .failure(error) }
            return .success(value)
        }
    }

    private var error: ImageError {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        let text = fixedPoint(seconds, decimals: seconds == seconds.rounded() ? 0 : 3)
        return ImageError(
            .timeout, stage: .load, "The load was not done after \(text) s; --timeout allows more.",
            isRetryable: true)
    }
}
