// SPDX-License-Identifier: MIT
import FoundationEssentials
import Synchronization
import Testing
import WICore
import WITestKit

@testable import WICache
@testable import WIEntry

#if canImport(Glibc)
    import Glibc

    /// What a process writes: a payload that tells which key it belongs to.
    private enum Sample {
        static let metadata = EntryMetadata(storedAt: 5, contentType: "image/png")
        static func key(_ number: Int) -> CacheKey { CacheKey("https://host/\(number).png") }
        static func data(_ number: Int) -> Data { Data(repeating: UInt8(number), count: 500 + 400 * number) }

        static func cache(_ root: String) -> DiskCache {
            var configuration = DiskCacheConfiguration(root: root)
            configuration.byteLimit = .kibibytes(200)
            configuration.sweepsInBackground = false
            return DiskCache(configuration: configuration)
        }

        /// Stores, reads and removes; gives how many answers were wrong.
        static func mixedRun(_ cache: DiskCache, operations: Int, seed: UInt64, after: () -> Void = {}) -> Int
        {
            var random = SeededGenerator(seed: seed), wrong = 0
            for _ in 0..<operations {
                let number = Int.random(in: 0..<60, using: &random)
                do {
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0: try cache.remove(key(number))
                    case 1..<5: try cache.store(data(number), metadata: metadata, for: key(number))
                    default:
                        if let entry = try cache.entry(for: key(number)), entry.data != data(number) {
                            wrong += 1
                        }
                    }
                } catch {
                    wrong += 1
                }
                after()
            }
            return wrong
        }
    }

    /// Several processes on one folder, and such as are killed.
    @Suite struct DiskCacheProcessTests {
        private let folder: TemporaryFolder
        private let files = LocalFileSystem()

        init() throws { folder = try TemporaryFolder() }

        /// What lies on disk: entries that verify, their bytes, and what is left of killed writers. Anything else is a fault.
        private func inspect(_ cache: DiskCache) throws -> (bytes: Int, entries: Int, temporary: Int) {
            var found = (bytes: 0, entries: 0, temporary: 0)
            let keys = Dictionary(
                uniqueKeysWithValues: (0..<60).map { (Sample.key($0).text, Sample.data($0)) })
            for shard in 0..<DiskTotals.shards {
                let shardFolder = cache.layout.folder(of: shard)
                for name in (try? files.list(shardFolder)) ?? [] {
                    if name.hasPrefix(".tmp-") {
                        found.temporary += 1
                        continue
                    }
                    let file = try Data(contentsOf: URL(filePath: shardFolder + "/" + name))
                    let entry = try EntryFile(file)
                    #expect(keys[entry.keyText] == entry.payload)
                    found.bytes += file.count
                    found.entries += 1
                }
            }
            return found
        }

        @Test(.timeLimit(.minutes(5)))
        func fourProcessesSeeNoTornEntryAndKeepTheLimit() async throws {
            let path = folder.path
            await withTaskGroup(of: Void.self) { group in
                for worker in 1...4 {
                    group.addTask {
                        await #expect(processExitsWith: .success) {
                            [path = path as String, worker = worker as Int] in
                            let wrong = Sample.mixedRun(
                                Sample.cache(path), operations: 10_000, seed: UInt64(worker))
                            exit(wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
                        }
                    }
                }
            }
            let cache = Sample.cache(path)
            let left = try inspect(cache)
            #expect(left.temporary == 0)
            #expect(left.entries > 0)
            #expect(left.bytes <= 200 << 10)
            cache.trim()
            let trimmed = try inspect(cache)
            #expect(cache.totalSize.bytes == ByteCount(trimmed.bytes))
            #expect(cache.totalSize.count == trimmed.entries)
        }

        /// How many writers are killed: few in the quick gate, more where the variable says so.
        private static let kills =
            ProcessInfo.processInfo.environment["WEBIMAGE_KILLS"].flatMap { Int($0) } ?? 12

        @Test(.timeLimit(.minutes(15)))
        func writersKilledAtAnyMomentLeaveOnlyWholeEntriesAndSweptRemains() async throws {
            let path = folder.path
            var random = SeededGenerator(seed: 3)
            for round in 0..<Self.kills {
                let seed = Int.random(in: 0..<1_000_000, using: &random)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, seed = seed as Int] in
                    Doomed.run(path, seed: seed)
                }
                if round % 4 == 3 { _ = try inspect(Sample.cache(path)) }
            }
            let left = try inspect(Sample.cache(path))
            #expect(left.temporary <= Self.kills)
            // Among many, some were killed in the middle of a store.
            #expect(Self.kills < 100 || left.temporary > 0)
            // Each kill may lose one note; the limit holds all the same after the next stores have counted anew.
            let later = TimeSource(
                secondsSince1970: { TimeSource.system.secondsSince1970() + 3600 }, monotonic: { .zero })
            var configuration = Sample.cache(path).configuration
            configuration.time = later
            let cache = DiskCache(configuration: configuration)
            cache.trim()
            let swept = try inspect(cache)
            #expect(swept.temporary == 0)
            #expect(swept.bytes <= 100 << 10)
            #expect(cache.totalSize.bytes == ByteCount(swept.bytes))
            #expect(cache.totalSize.count == swept.entries)
        }
    }

    /// A process that works on a cache until a thread of its own kills it, at a moment that nothing prepares for.
    private enum Doomed {
        private static let done = Atomic<Int>(0)
        private static let last = Atomic<Int>(0)
        private static let spin = Atomic<Int>(0)

        static func run(_ path: String, seed: Int) {
            var random = SeededGenerator(seed: UInt64(seed))
            last.store(Int.random(in: 0..<40, using: &random), ordering: .relaxed)
            spin.store(Int.random(in: 0..<20_000, using: &random), ordering: .relaxed)
            var thread = pthread_t()
            pthread_create(&thread, nil, { _ in Doomed.killLater() }, nil)
            let cache = Sample.cache(path)
            while true {
                _ = Sample.mixedRun(cache, operations: 100, seed: UInt64(seed)) {
                    done.add(1, ordering: .relaxed)
                }
            }
        }

        private static func killLater() -> UnsafeMutableRawPointer? {
            while done.load(ordering: .relaxed) < last.load(ordering: .relaxed) { sched_yield() }
            for _ in 0..<spin.load(ordering: .relaxed) { _ = done.load(ordering: .relaxed) }
            kill(getpid(), SIGKILL)
            return nil
        }
    }
#endif
