// SPDX-License-Identifier: MIT

/// URLs that failed a short while ago, with the reason. A pure value; times are those of a clock that never goes back.
///
/// Bounded: when full, the oldest entry goes.
struct FailedURLs: Sendable {
    private struct Entry: Sendable {
        let error: ImageError
        let until: Duration
        let number: UInt64
    }

    private let capacity: Int
    private var entries: [String: Entry] = [:]
    private var order: [(url: String, number: UInt64)] = []
    /// Where the oldest stands; what is before it has gone, and is dropped a thousand at a time.
    private var oldest = 0
    private var next: UInt64 = 0

    init(capacity: Int = 10_000) { self.capacity = max(1, capacity) }

    var count: Int { entries.count }

    /// Why `url` is not to be asked at `now`; nil when it may be.
    func reason(_ url: String, at now: Duration) -> ImageError? {
        guard let entry = entries[url], now < entry.until else { return nil }
        return entry.error
    }

    mutating func add(_ url: String, _ error: ImageError, until: Duration) {
        next += 1
        entries[url] = Entry(error: error, until: until, number: next)
        order.append((url, next))
        while entries.count > capacity || order.count - oldest > 2 * capacity, oldest < order.count {
            let (url, number) = order[oldest]
            oldest += 1
            if entries[url]?.number == number { entries[url] = nil }
        }
        guard oldest >= 1000 else { return }
        order.removeFirst(oldest)
        oldest = 0
    }

    mutating func remove(_ url: String) { entries[url] = nil }

    mutating func removeAll() {
        entries = [:]
        order = []
        oldest = 0
    }
}
