// SPDX-License-Identifier: MIT
public import FoundationEssentials
public import WICore

/// Something that happened to a transfer of a ``CurlLoader``.
///
/// In order: `started`; `redirected` and `retrying`, each followed by another `started`; `responded`; `stopped`, always and
/// once; `finished`, where it ended well. A request that ends before its turn has `stopped` alone.
public struct TransferEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// An exchange with a server begins.
        case started
        /// The server answered; the body begins.
        case responded(ResponseHead)
        /// The server sent the request elsewhere.
        case redirected(to: URL?)
        /// The exchange failed and is tried again after so long.
        case retrying(after: Duration, because: ImageError)
        /// The transfer is over; the error, if that is why.
        case stopped(TransferMetrics, ImageError?)
        /// It ended well.
        case finished
    }

    /// The transfer's number, unique within its loader.
    public let transfer: UInt64
    /// The request's URL, with everything secret that it may have.
    public let url: URL
    /// What happened.
    public let kind: Kind
}

/// Whom a loader tells what happens.
final class TransferObservers: Sendable {
    private struct State: Sendable {
        var next = 0
        var streams: [Int: AsyncStream<TransferEvent>.Continuation] = [:]
    }

    private let observer: (@Sendable (TransferEvent) -> Void)?
    private let state = Locked(State())

    init(_ observer: (@Sendable (TransferEvent) -> Void)?) { self.observer = observer }

    deinit { for stream in state.withLock({ $0.streams }).values { stream.finish() } }

    /// Whether anybody listens.
    var areThere: Bool { observer != nil || state.withLock { !$0.streams.isEmpty } }

    func tell(_ transfer: CurlTransfer, _ kind: @autoclosure () -> TransferEvent.Kind) {
        let streams = state.withLock { $0.streams }
        guard observer != nil || !streams.isEmpty else { return }
        let event = TransferEvent(transfer: transfer.id, url: transfer.request.url, kind: kind())
        observer?(event)
        for stream in streams.values { stream.yield(event) }
    }

    /// The events from now on.
    func stream(keeping limit: Int) -> AsyncStream<TransferEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferEvent.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let number = state.withLock { state in
            defer { state.next += 1 }
            state.streams[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) { state.withLock { _ = $0.streams.removeValue(forKey: number) } }
}
