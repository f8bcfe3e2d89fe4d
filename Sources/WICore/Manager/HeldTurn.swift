// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// A turn to fill a key that this process has, until it is released: once, whoever comes first.
final class HeldTurn: Sendable {
    private let release: Locked<(@Sendable () async -> Void)?>

    init(_ release: @escaping @Sendable () async -> Void) { self.release = Locked(release) }

    /// Gives the way to release it to the first who asks.
    fileprivate func take() -> (@Sendable () async -> Void)? {
        release.withLock { release in
            defer { release = nil }
            return release
        }
    }
}

extension ManagerParts {
    /// Asks for the turn to fill `key`; nil where there is nobody to ask, or no telling.
    func turn(toFill key: CacheKey?, _ url: URL) async -> FillTurn? {
        guard let fillLeasing, let key else { return nil }
        do { return try await fillLeasing.turn(toFill: key) } catch {
            if !Task.isCancelled { cacheDidFail(error, stage: .query, ImageRequest(url: url)) }
            return nil
        }
    }

    /// Notes a turn, so that the end of the manager waits for its release.
    func hold(_ release: @escaping @Sendable () async -> Void) -> HeldTurn {
        let turn = HeldTurn(release)
        _ = turns.findOrInsert(ObjectIdentifier(turn)) { turn }
        return turn
    }

    func release(_ turn: HeldTurn?) {
        guard let turn, let release = turn.take() else { return }
        onIO { [turns] in
            await release()
            turns.retire(ObjectIdentifier(turn), turn)
            turns.end(turn)
        }
    }
}
