// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WICache

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct DiskEvictorTests {
    private let folder: TemporaryFolder
    private let files = FaultyFileSystem()
    private let ahead = Box()
    private let metadata = EntryMetadata(storedAt: 5)

    private final class Box: Sendable {
        private let seconds = Locked(0.0)
        func set(_ value: Double) { seconds.withLock { $0 = value } }
        var now: Double { TimeSource.system.secondsSince1970() + seconds.withLock { $0 } }
    }

    init() throws { folder = try TemporaryFolder() }

    private func cache(_ change: (inout DiskCacheConfiguration) -> Void = { _ in }) -> DiskCache {
        var configuration = DiskCacheConfiguration(root: folder.path)
        configuration.fileSystem = files
        configuration.sweepsInBackground = false
        configuration.time = TimeSource(secondsSince1970: { [ahead] in ahead.now }, monotonic: { .zero })
        // Shard after shard: what is sampled does not depend on luck.
        let next = Locked(0)
        configuration.random = { limit in
            next.withLock { next in
                next += 1
                return next % limit
            }
        }
        change(&configuration)
        return DiskCache(configuration: configuration)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey("https://host/\(number).png") }
    private let data = Data(repeating: 1, count: 1000)

    private func fill(_ cache: DiskCache, _ numbers: Range<Int>) throws {
        for number in numbers { try cache.store(data, metadata: metadata, for: key(number)) }
    }

    @Test func onceOverTheLimitItGoesDownToTheLowWaterMarkAStepWithEachStore() throws {
        let cache = cache { $0.countLimit = 1000 }
        try fill(cache, 0..<1000)
        #expect(cache.totalSize.count == 1000)
        var counts: [Int] = []
        for number in 1000..<1180 {
            try fill(cache, number..<number + 1)
            counts.append(cache.totalSize.count)
        }
        #expect(counts.allSatisfy { $0 <= 1000 })
        let lowest = try #require(counts.min())
        #expect((880...900).contains(lowest))
        // A step is a small one: nobody waits for the whole way down.
        #expect(zip([1000] + counts, counts).allSatisfy { $0 - $1 < 8 })
        // And from there it fills again, before anything more has to go.
        #expect(try #require(counts.last) > lowest + 50)
    }

    @Test func aStoreLooksAtNoMoreFilesInALargeCacheThanItsSampleHas() throws {
        let cache = cache { $0.countLimit = 4000 }
        try fill(cache, 0..<4000)
        let before = files.count(.status)
        try fill(cache, 4000..<4400)
        let looks = files.count(.status) - before
        // Eight looks for each entry that goes, about as many entries as came or were above the low-water mark.
        #expect(looks < 400 + 10 * (400 + 400))
    }

    @Test func expiredEntriesGoWithTheStoresOfOthers() throws {
        let cache = cache { $0.ageLimit = .seconds(86_400) }
        try fill(cache, 0..<300)
        let old = timespec(tv_sec: time(nil) - 90_000, tv_nsec: 0)
        for number in 0..<300 {
            #expect(utimensat(AT_FDCWD, cache.layout.place(of: key(number)).path, [old, old], 0) == 0)
        }
        ahead.set(20_000)
        try fill(cache, 1000..<3000)
        #expect((0..<300).allSatisfy { access(cache.layout.place(of: key($0)).path, F_OK) != 0 })
        #expect(cache.totalSize.count == 2000)
    }

    @Test func aCountThatOthersInterruptedIsNotWritten() throws {
        let cache = cache()
        try fill(cache, 0..<1)
        let shard = cache.layout.place(of: key(0)).shard
        let before = cache.totalSize
        // A store of another process has noted its entry, and not renamed it yet.
        let folder = cache.layout.folder(of: shard)
        try files.write([data], to: folder + "/.tmp-other-1")
        cache.openTotals().add(shard, bytes: 5000, count: 1)
        cache.trim()
        #expect(cache.totalSize == (before.bytes + ByteCount(5000), 2))
        // It was killed: once its file is old, the truth is found again.
        ahead.set(1000)
        cache.trim()
        #expect(cache.totalSize == before)
        #expect(access(folder + "/.tmp-other-1", F_OK) != 0)
    }

    @Test func shardsCountedAShortWhileAgoAreNotCountedAgain() throws {
        let cache = cache()
        try fill(cache, 0..<500)
        let before = files.count(.list)
        try fill(cache, 0..<500)
        ahead.set(3600)
        try fill(cache, 0..<500)
        #expect(files.count(.list) == before)
        ahead.set(100_000)
        try fill(cache, 0..<500)
        #expect(files.count(.list) > before)
    }

    @Test func totalsStandWhereAFolderCannotBeListed() throws {
        let cache = cache()
        try fill(cache, 0..<100)
        files.fail(.list, with: EMFILE)
        ahead.set(100_000)
        try fill(cache, 0..<100)
        cache.trim()
        files.fail(.list, with: nil)
        #expect(cache.totalSize.count == 100)
    }

    @Test func aFailedStoreLeavesTheTotalsAsTheyWere() throws {
        let cache = cache()
        try fill(cache, 0..<10)
        let before = cache.totalSize
        files.fail(.publish, with: ENOSPC)
        for number in 0..<20 {
            #expect(throws: ImageError.self) { try cache.store(data, metadata: metadata, for: key(number)) }
        }
        files.fail(.publish, with: nil)
        #expect(cache.totalSize == before)
    }

    @Test func aSmallerEntryInPlaceOfALargerGivesItsBytesBack() throws {
        let cache = cache()
        try cache.store(Data(repeating: 1, count: 50_000), metadata: metadata, for: key(1))
        try cache.store(Data(repeating: 1, count: 100), metadata: metadata, for: key(1))
        let status = try files.status(cache.layout.place(of: key(1)).path)
        #expect(cache.totalSize == (ByteCount(status.size), 1))
        try cache.store(Data(repeating: 1, count: 70_000), metadata: metadata, for: key(1))
        let larger = try files.status(cache.layout.place(of: key(1)).path)
        #expect(cache.totalSize == (ByteCount(larger.size), 1))
    }
}
