// SPDX-License-Identifier: MIT

/// Several caches as one, highest first: the last added is asked first.
///
/// A hit in a lower cache is written back to the higher ones. Each kind of operation has its policy.
public final class CachesManager: ImageCaching {
    /// Which caches an operation goes to, and how.
    public enum Policy: Hashable, Sendable {
        /// One after the other, highest first. A query stops at the first hit.
        case serial
        /// All at once. A query takes the highest hit.
        case concurrent
        /// The highest alone.
        case highestOnly
        /// The lowest alone.
        case lowestOnly
    }

    /// The policies of a ``CachesManager``.
    public struct Policies: Hashable, Sendable {
        /// Default serial.
        public var query = Policy.serial
        /// Default the highest alone.
        public var store = Policy.highestOnly
        /// Default all at once.
        public var remove = Policy.concurrent
        /// Default serial.
        public var contains = Policy.serial
        /// Default all at once.
        public var clear = Policy.concurrent

        /// The defaults.
        public init() {}
    }

    private let state: Locked<[any ImageCaching]>
    private let policies: Policies

    /// These caches, lowest first, with these policies.
    public init(_ caches: [any ImageCaching], policies: Policies = Policies()) {
        state = Locked(caches)
        self.policies = policies
    }

    /// Adds a cache above all others.
    public func add(_ cache: any ImageCaching) { state.withLock { $0.append(cache) } }

    /// Takes a cache out, told by its identity; one that is not among them is no error. What is under way there goes on.
    public func remove(_ cache: any ImageCaching) {
        state.withLock { caches in
            caches.removeAll { ($0 as AnyObject) === (cache as AnyObject) }
        }
    }

    /// The caches, lowest first.
    public var caches: [any ImageCaching] { state.withLock { $0 } }

    private func chosen(_ policy: Policy) -> [any ImageCaching] {
        let highestFirst = Array(caches.reversed())
        switch policy {
        case .serial, .concurrent: return highestFirst
        case .highestOnly: return Array(highestFirst.prefix(1))
        case .lowestOnly: return Array(highestFirst.suffix(1))
        }
    }

    /// The picture of the highest cache that has it in memory; those above it get it too.
    public func memoryEntry(for key: CacheKey) -> MemoryEntry? {
        var passed: [any ImageCaching] = []
        for cache in chosen(policies.query) {
            if let entry = cache.memoryEntry(for: key) {
                for higher in passed { higher.storeInMemory(entry, for: key) }
                return entry
            }
            passed.append(cache)
        }
        return nil
    }

    /// Keeps the picture as the store policy says.
    public func storeInMemory(_ entry: MemoryEntry, for key: CacheKey) {
        for cache in chosen(policies.store) { cache.storeInMemory(entry, for: key) }
    }

    /// The bytes of the highest cache that has them; those above it get them too. A cache that fails is a miss as long as
    /// another one hits.
    ///
    /// - Throws: what the first failing cache threw, when none hits.
    public func entry(for key: CacheKey, in levels: CacheLevels) async throws -> StoredEntry? {
        let hit = try await first(policies.query) { try await $0.entry(for: key, in: levels) }
        guard let (answer, higher) = hit else { return nil }
        await writeBack(answer, key, levels, to: higher)
        return answer
    }

    /// The answer of the highest cache that has one, and the caches above it.
    private func first<Answer: Sendable>(
        _ policy: Policy, _ ask: @escaping @Sendable (any ImageCaching) async throws -> Answer?
    ) async throws -> (answer: Answer, higher: ArraySlice<any ImageCaching>)? {
        let asked = chosen(policy)
        var failure: (any Error)?
        let answers = policy == .concurrent ? await all(asked, ask) : []
        for (index, cache) in asked.enumerated() {
            do {
                let answer = answers.isEmpty ? try await ask(cache) : try answers[index].get()
                if let answer { return (answer, asked.prefix(index)) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// A higher cache that cannot keep the bytes does not spoil the hit.
    private func writeBack(
        _ entry: StoredEntry, _ key: CacheKey, _ levels: CacheLevels, to higher: ArraySlice<any ImageCaching>
    ) async {
        let new = NewEntry(data: entry.data, metadata: entry.metadata)
        for cache in higher { try? await cache.store(new, for: key, in: levels.subtracting(.memory)) }
    }

    /// Stores as the store policy says; every cache is tried.
    ///
    /// - Throws: what the first failing cache threw.
    public func store(_ entry: NewEntry, for key: CacheKey, in levels: CacheLevels) async throws {
        try await each(policies.store) { try await $0.store(entry, for: key, in: levels) }
    }

    /// Updates every cache.
    ///
    /// - Throws: what the first failing cache threw.
    public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws {
        try await each(.serial) { try await $0.updateMetadata(metadata, for: key) }
    }

    /// Removes as the remove policy says; every cache is tried.
    ///
    /// - Throws: what the first failing cache threw.
    public func remove(for key: CacheKey, in levels: CacheLevels) async throws {
        try await each(policies.remove) { try await $0.remove(for: key, in: levels) }
    }

    /// The levels of the highest cache that has the entry, as the contains policy says. A cache that fails is one without it as
    /// long as another one has it.
    ///
    /// - Throws: what the first failing cache threw, when none has it.
    public func contains(_ key: CacheKey, in levels: CacheLevels) async throws -> CacheLevels {
        let hit = try await first(policies.contains) { cache -> CacheLevels? in
            let found = try await cache.contains(key, in: levels)
            return found.isEmpty ? nil : found
        }
        return hit?.answer ?? []
    }

    /// Clears as the clear policy says; every cache is tried.
    ///
    /// - Throws: what the first failing cache threw.
    public func clear(_ levels: CacheLevels) async throws {
        try await each(policies.clear) { try await $0.clear(levels) }
    }

    private func each(_ policy: Policy, _ body: @escaping @Sendable (any ImageCaching) async throws -> Void)
        async throws
    {
        var failure: (any Error)?
        if policy == .concurrent {
            for answer in await all(chosen(policy), body) {
                if case .failure(let error) = answer { failure = failure ?? error }
            }
        } else {
            for cache in chosen(policy) {
                do { try await body(cache) } catch { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }

    /// Asks all at once; the answers in the order of the caches.
    private func all<Answer: Sendable>(
        _ caches: [any ImageCaching], _ body: @escaping @Sendable (any ImageCaching) async throws -> Answer
    ) async -> [Result<Answer, any Error>] {
        await withTaskGroup(of: (Int, Result<Answer, any Error>).self) { group in
            for (index, cache) in caches.enumerated() {
                group.addTask {
                    do { return (index, .success(try await body(cache))) } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
