// SPDX-License-Identifier: MIT

/// Lets one of many processes load what all of them miss, while the others wait until it is in a cache that they share.
///
/// A manager that has one (``ImageManagerConfiguration/fillLeasing``) asks it after its caches had nothing and before a loader is
/// asked: once for all of its requests that need the same bytes, and not for requests that look into no slow cache or store in
/// none. The turn is kept until what was loaded is stored, or the load failed, was cancelled or ended by a shutdown.
public protocol FillLeasing: Sendable {
    /// Waits until this process may load the bytes that belong under `key`, or another process has stored them.
    ///
    /// Called from the manager's I/O threads; it suspends while it waits. When nobody wants the bytes any more its task is
    /// cancelled, and it should return or throw soon. How long it waits for a process that does not come back is its own affair.
    /// - Parameter key: the key of the original.
    /// - Throws: when there is no telling; the load then goes on without a turn, and the delegate is told that the cache failed.
    func turn(toFill key: CacheKey) async throws -> FillTurn
}

/// What a process does about bytes that its caches miss.
public enum FillTurn: Sendable {
    /// It loads them. `release` is called exactly once, from the manager's I/O threads; ``ImageManager/shutdown()`` waits for it.
    case load(release: @Sendable () async -> Void)
    /// It looks into its caches again: another process has filled them. What they still miss it loads without a turn.
    case lookAgain
}
