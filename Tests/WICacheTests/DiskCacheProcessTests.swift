// SPDX-License-Identifier: MIT
import FoundationEssentials
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
        static func mixedRun(_ cache: DiskCache, operations: Int, seed: UInt64) -> Int {
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

        private static let kills = 200

        @Test(.timeLimit(.minutes(5)))
        func writersKilledAtAnyMomentLeaveOnlyWholeEntriesAndSweptRemains() async throws {
            let path = folder.path
            for round in 0..<4 {
                await #expect(processExitsWith: .success) { [path = path as String, round = round as Int] in
                    Doomed.kill(Self.kills / 4, path, seed: round)
                }
                _ = try inspect(Sample.cache(path))
            }
            let left = try inspect(Sample.cache(path))
            #expect(left.temporary <= Self.kills)
            // Among many, some were killed in the middle of a store.
            #expect(left.temporary > 0)
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

    /// Processes that work on a cache until they are killed, at moments that nothing prepares for.
    private enum Doomed {
        /// Swift hides `fork`, for good reason; here each child is killed, and does nothing but file work until then.
        private static let fork: @convention(c) () -> pid_t = {
            unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
        }()

        static func kill(_ count: Int, _ path: String, seed: Int) {
            var random = SeededGenerator(seed: UInt64(seed))
            for number in 0..<count {
                var ends: [Int32] = [0, 0]
                precondition(pipe(&ends) == 0)
                let child = fork()
                if child == 0 { work(path, seed: UInt64(1000 * seed + number), sign: ends[1]) }
                precondition(child > 0)
                close(ends[1])
                // It has begun: from here on, any moment may be its last.
                var sign: UInt8 = 0
                precondition(read(ends[0], &sign, 1) == 1)
                close(ends[0])
                spin(Int.random(in: 0..<2000, using: &random))
                Glibc.kill(child, SIGKILL)
                var status: Int32 = 0
                precondition(waitpid(child, &status, 0) == child && status & 0x7F == SIGKILL)
            }
        }

        private static func work(_ path: String, seed: UInt64, sign: Int32) -> Never {
            let cache = Sample.cache(path)
            var round = seed
            while true {
                let wrong = Sample.mixedRun(cache, operations: 20, seed: round)
                if wrong > 0 { _exit(1) }
                if round == seed { _ = write(sign, [1], 1) }
                round += 1
            }
        }

        private static func spin(_ microseconds: Int) {
            let end = TimeSource.system.monotonic() + .microseconds(microseconds)
            while TimeSource.system.monotonic() < end {}
        }
    }
#endif
