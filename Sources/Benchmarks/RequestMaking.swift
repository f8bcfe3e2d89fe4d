// SPDX-License-Identifier: MIT
internal import Dispatch
internal import FoundationEssentials
internal import Synchronization
internal import WICache
internal import WICoders
internal import WICore

/// W5 above the cache: what making a request costs, and a hit in memory through a manager.
struct RequestMaking {
    private static let entries = 1000
    private static let rounds = 50_000

    static func run(_ arguments: BenchmarkArguments, _ report: Report) throws {
        let reps = try arguments.number("reps", default: 7)
        let urls = (0..<entries).map { "https://img.test/gallery/photos/2026/large/\($0)/variant.jpg?v=1" }
        let thumbnail: ImageContext = [.set(.thumbnailSize, PixelSize(width: 300, height: 300))]
        for (variant, context) in [("", ImageContext()), (" (thumbnail)", thumbnail)] {
            let samples = (0..<reps).map { _ in
                nanoseconds { ImageRequest(urls[$0 % entries], context: context).key.precomputedHash }
            }
            report.emit("request_make", "ns", samples, variant: variant)
        }
        for policy in [FreshnessPolicy.immutable, .http] {
            try waitFor { try await hits(urls, policy, reps, report) }
        }
    }

    /// Hits by requests that are used again, and by requests made for each hit.
    private static func hits(_ urls: [String], _ policy: FreshnessPolicy, _ reps: Int, _ report: Report)
        async throws
    {
        let cache = ImageCache(memory: MemoryCache(limits: MemoryCache.Limits(cost: .unlimited)), disk: nil)
        let manager = ImageManager(cache: cache, loader: DataLoader(), coder: PAMCoder())
        let context: ImageContext = [.set(.freshnessPolicy, policy)]
        let requests = urls.map { ImageRequest($0, context: context) }
        let image = DecodedImage(pixels: try MutablePixels(width: 1, height: 1).publish())
        let metadata = EntryMetadata(
            storedAt: TimeSource.system.secondsSince1970(),
            responseHeaders: [
                "Cache-Control": "public, max-age=86400, stale-while-revalidate=600",
                "Date": "Mon, 30 Nov 2026 21:00:00 GMT", "Vary": "Accept-Encoding",
            ])
        for request in requests {
            cache.memory.store(MemoryEntry(image: image, metadata: metadata), for: request.key)
        }
        let variant = policy == .http ? " (http)" : ""
        var prepared: [Double] = []
        var made: [Double] = []
        for _ in 0..<reps {
            prepared.append(
                try await nanoseconds {
                    try await manager.image(for: requests[$0 % entries]).image.size.width
                })
            made.append(
                try await nanoseconds {
                    try await manager.image(for: ImageRequest(urls[$0 % entries], context: context)).image
                        .size.width
                })
        }
        report.emit("request_hit", "ns", prepared, variant: variant)
        report.emit("request_hit", "ns", made, variant: variant + " (made anew)")
    }

    private static func nanoseconds(_ body: (Int) -> Int) -> Double {
        var sum = 0
        let elapsed = seconds { for round in 0..<rounds { sum &+= body(round) } }
        used.store(sum, ordering: .relaxed)
        return 1e9 * elapsed / Double(rounds)
    }

    private static func nanoseconds(_ body: (Int) async throws -> Int) async throws -> Double {
        var sum = 0
        let clock = TimeSource.system
        let start = clock.monotonic()
        for round in 0..<rounds { sum &+= try await body(round) }
        let elapsed = clock.monotonic() - start
        used.store(sum, ordering: .relaxed)
        return 1e9 * Double(elapsed.components.attoseconds) / 1e18 / Double(rounds)
            + 1e9 * Double(elapsed.components.seconds) / Double(rounds)
    }

    /// Waits on the process's first thread for async work.
    private static func waitFor(_ work: @escaping @Sendable () async throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let result = Locked<Result<Void, any Error>>(.success(()))
        Task.detached {
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            done.signal()
        }
        done.wait()
        try result.withLock { $0 }.get()
    }

    /// What is added up goes somewhere, so that no work is left out.
    private static let used = Atomic(0)
}
