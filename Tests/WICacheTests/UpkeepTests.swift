// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WICache

@Suite struct UpkeepTests {
    private func fill(_ cache: MemoryCache) throws {
        for number in 0..<10 {
            let pixels = try MutablePixels(width: 10, height: 10).publish()
            let entry = MemoryEntry(image: DecodedImage(pixels: pixels), metadata: EntryMetadata(storedAt: 0))
            cache.store(entry, for: CacheKey("\(number)"))
        }
    }

    @Test func allCachesGiveWayWhenMemoryIsShortAndNoneIsKeptAlive() throws {
        let upkeep = Upkeep(startsThread: false)
        var caches = (0..<3).map { _ in MemoryCache(yieldsUnderPressure: false) }
        for cache in caches {
            upkeep.add(cache)
            try fill(cache)
        }
        #expect(upkeep.round(nil, sweeps: false))
        #expect(caches.allSatisfy { $0.statistics.count == 10 })
        #expect(upkeep.round(.moderate, sweeps: false))
        #expect(caches.allSatisfy { $0.statistics.count == 5 })
        #expect(upkeep.round(.critical, sweeps: false))
        #expect(caches.allSatisfy { $0.statistics.count == 0 })
        weak let last = caches[0]
        caches = []
        #expect(last == nil)
        #expect(!upkeep.round(nil, sweeps: true))
    }

    @Test func aSweepRemovesWhatHasOutlivedItsTimeFromMemoryAndDisk() throws {
        let upkeep = Upkeep(startsThread: false)
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let memory = MemoryCache(
            limits: .init(cost: .mebibytes(1), timeToLive: .seconds(5)),
            time: TimeSource(secondsSince1970: { 0 }, monotonic: { clock.now.offset }),
            yieldsUnderPressure: false)
        let ahead = Locked(0.0)
        var configuration = DiskCacheConfiguration(root: folder.path)
        configuration.sweepsInBackground = false
        configuration.time = TimeSource(
            secondsSince1970: { TimeSource.system.secondsSince1970() + ahead.withLock { $0 } },
            monotonic: { .zero })
        let disk = DiskCache(configuration: configuration)
        upkeep.add(memory)
        upkeep.add(disk)
        try fill(memory)
        try disk.store(Data([1]), metadata: EntryMetadata(storedAt: 0), for: CacheKey("a"))
        #expect(upkeep.round(nil, sweeps: true))
        #expect(memory.statistics.count == 10)
        #expect(disk.totalSize.count == 1)
        clock.advance(by: .seconds(6))
        ahead.withLock { $0 = 8 * 86_400 }
        #expect(upkeep.round(nil, sweeps: true))
        #expect(memory.statistics.count == 0)
        #expect(disk.totalSize.count == 0)
    }
}
