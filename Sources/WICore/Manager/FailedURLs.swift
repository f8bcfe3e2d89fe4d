// SPDX-License-Identifier: MIT

/// What a load must have in common with one that failed to fail the same way: what goes over the wire, and who judges it.
struct FailedLoad: Hashable, Sendable {
    /// The URL, as it stands in keys.
    let url: String
    let wire: String
    let loader: ObjectIdentifier
    let coder: ObjectIdentifier
    let limits: DecodeLimits
}

/// Loads that failed a short while ago, with the reason. A pure value; times are those of a clock that never goes back.
///
/// Bounded: when full, the oldest entry goes.
struct FailedURLs: Sendable {
    private struct Entry: Sendable {
        let error: ImageError
        let until: Duration
        let number: UInt64
    }

    private let capacity: Int
    private var entries: [FailedLoad: Entry] = [:]
    private var order: [(load: FailedLoad, number: UInt64)] = []
    /// Where the oldest stands; what is before it has gone, and is dropped a thousand at a time.
    private var oldest = 0
    private var next: UInt64 = 0

    init(capacity: Int = 10_000) { self.capacity = max(1, capacity) }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// Why the load is not to be tried at `now`; nil when it may be.
    func reason(_ load: FailedLoad, at now: Duration) -> ImageError? {
        guard let entry = entries[load], now < entry.until else { return nil }
        return entry.error
    }

    mutating func add(_ load: FailedLoad, _ error: ImageError, until: Duration) {
        next += 1
        entries[load] = Entry(error: error, until: until, number: next)
        order.append((load, next))
        while entries.count > capacity || order.count - oldest > 2 * capacity, oldest < order.count {
            let (load, number) = order[oldest]
            oldest += 1
            if entries[load]?.number == number { entries[load] = nil }
        }
        guard oldest >= 1000 else { return }
        order.removeFirst(oldest)
        oldest = 0
    }

    mutating func remove(_ load: FailedLoad) { entries[load] = nil }

    /// Forgets every load of `url`, whatever it was tried with.
    mutating func removeAll(of url: String) { entries = entries.filter { $0.key.url != url } }

    mutating func removeAll() {
        entries = [:]
        order = []
        oldest = 0
    }
}
