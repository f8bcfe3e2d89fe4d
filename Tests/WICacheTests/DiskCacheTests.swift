// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WICache
@testable import WIEntry

#if canImport(Glibc)
    import Glibc
#endif

private final class Clock: Sendable {
    private let box = Locked(0.0)
    /// Seconds that the clock is ahead of the system's.
    var ahead: Double {
        get { box.withLock { $0 } }
        set { box.withLock { $0 = newValue } }
    }
    var source: TimeSource {
        TimeSource(
            secondsSince1970: { [self] in TimeSource.system.secondsSince1970() + ahead }, monotonic: { .zero }
        )
    }
}

@Suite struct DiskCacheTests {
    private let folder: TemporaryFolder
    private let clock = Clock()
    private let files = FaultyFileSystem()
    private let metadata = EntryMetadata(storedAt: 5, contentType: "image/png")

    init() throws { folder = try TemporaryFolder() }

    private func cache(_ change: (inout DiskCacheConfiguration) -> Void = { _ in }) -> DiskCache {
        var configuration = DiskCacheConfiguration(root: folder.path)
        configuration.fileSystem = files
        configuration.time = clock.source
        configuration.sweepsInBackground = false
        change(&configuration)
        return DiskCache(configuration: configuration)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey("https://host/\(number).png") }
    private func data(_ count: Int, _ byte: UInt8 = 1) -> Data { Data(repeating: byte, count: count) }

    @Test func anEntryIsReadBackByThisAndByAnotherCache() throws {
        let cache = cache()
        try cache.store(data(100), metadata: metadata, for: key(1))
        for reader in [cache, self.cache()] {
            let entry = try #require(try reader.entry(for: key(1)))
            #expect(entry.data == data(100))
            #expect(entry.metadata == metadata)
            #expect(reader.contains(key(1)))
        }
        #expect(try cache.entry(for: key(2)) == nil)
    }

    @Test func filesAreNamedByDigestAndExtensionAndAreTheOwnersAlone() throws {
        let cache = cache()
        try cache.store(data(10), metadata: metadata, for: key(1))
        let path = cache.layout.place(of: key(1)).path
        #expect(path.hasPrefix(folder.path + "/default/v1/"))
        #expect(path.hasSuffix(EntryDigest(key(1)).text + ".png"))
        var info = stat()
        #expect(stat(path, &info) == 0)
        #expect(info.st_mode & 0o777 == 0o600)
        #expect(stat(cache.layout.place(of: key(1)).folder, &info) == 0)
        #expect(info.st_mode & 0o777 == 0o700)
    }

    @Test(arguments: [
        ("https://h/a.png", "png"), ("https://h/a.jpg?x=y.gif", "jpg"), ("https://h/a", ""),
        ("https://h/a.b/c", ""),
        ("https://h/a.p%6Eg", ""), ("https://h/a." + String(repeating: "x", count: 300), ""), ("", ""),
    ])
    func extensionsAreThoseOfThePath(_ base: String, _ expected: String) {
        #expect(DiskLayout.fileExtension(of: base) == expected)
    }

    @Test func aDamagedOrCutFileIsAMissAndIsRemoved() throws {
        let cache = cache()
        let path = cache.layout.place(of: key(1)).path
        for change in 0..<3 {
            try cache.store(data(100), metadata: metadata, for: key(1))
            var file = try Data(contentsOf: URL(filePath: path))
            switch change {
            case 0: file[50] ^= 1
            case 1: file = Data(file.prefix(70))
            default: file = Data()
            }
            try file.write(to: URL(filePath: path))
            #expect(try cache.entry(for: key(1)) == nil)
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test func anotherKeysFileUnderTheSameNameIsAMissAndNoWrongPicture() throws {
        let cache = cache()
        try cache.store(data(100), metadata: metadata, for: key(1))
        let place = cache.layout.place(of: key(2))
        try files.makeFolder(place.folder)
        let file = try Data(contentsOf: URL(filePath: cache.layout.place(of: key(1)).path))
        try file.write(to: URL(filePath: place.path))
        #expect(try cache.entry(for: key(2)) == nil)
        #expect(try cache.entry(for: key(1))?.data == data(100))
    }

    @Test func theByteLimitHoldsAfterEveryStoreAndTheOldestGo() throws {
        let cache = cache { $0.byteLimit = .kibibytes(100) }
        for number in 0..<300 {
            try cache.store(data(2000), metadata: metadata, for: key(number))
            #expect(cache.totalSize.bytes <= .kibibytes(100))
        }
        #expect(try cache.entry(for: key(299)) != nil)
        #expect(try cache.entry(for: key(0)) == nil)
        #expect(cache.totalSize.count > 30)
    }

    @Test func theCountLimitHolds() throws {
        let cache = cache { $0.countLimit = 20 }
        for number in 0..<100 { try cache.store(data(10), metadata: metadata, for: key(number)) }
        #expect(cache.totalSize.count <= 20)
        #expect(cache.totalSize.count >= 15)
    }

    @Test func anEntryLargerThanTheWholeCacheIsRefused() throws {
        let cache = cache { $0.byteLimit = 1000 }
        let error = #expect(throws: ImageError.self) {
            try cache.store(data(2000), metadata: metadata, for: key(1))
        }
        #expect(error?.code == .cacheWrite)
    }

    @Test func aShortLivedProcessEvictsToo() throws {
        for number in 0..<100 {
            let cache = cache { $0.byteLimit = .kibibytes(50) }
            try cache.store(data(2000), metadata: metadata, for: key(number))
        }
        #expect(cache().totalSize.bytes <= .kibibytes(50))
    }

    @Test func lostTotalsAreCountedAnew() throws {
        let first = cache()
        for number in 0..<50 { try first.store(data(1000), metadata: metadata, for: key(number)) }
        let before = first.totalSize
        unlink(first.layout.totalsPath)
        let second = cache()
        #expect(second.totalSize == before)
        #expect(before.count == 50)
    }

    @Test func replacingAnEntryCountsItOnce() throws {
        let cache = cache()
        for size in [100, 5000, 10] { try cache.store(data(size), metadata: metadata, for: key(1)) }
        #expect(cache.totalSize.count == 1)
        #expect(cache.totalSize.bytes < 300)
        try cache.remove(key(1))
        #expect(cache.totalSize == (.zero, 0))
        try cache.remove(key(1))
    }

    @Test func oldEntriesExpire() throws {
        let cache = cache { $0.ageLimit = .seconds(60) }
        try cache.store(data(10), metadata: metadata, for: key(1))
        clock.ahead = 59
        #expect(try cache.entry(for: key(1)) != nil)
        clock.ahead = 61
        #expect(!cache.contains(key(1)))
        #expect(try cache.entry(for: key(1)) == nil)
        #expect(cache.totalSize.count == 0)
    }

    @Test func aStaleEntryIsGivenWithItsValidatorsAndStays() throws {
        let cache = cache()
        let now = TimeSource.system.secondsSince1970()
        let stale = EntryMetadata(
            storedAt: now, expiresAt: now + 100, validators: Validators(entityTag: "\"1\""))
        try cache.store(data(10), metadata: stale, for: key(1))
        clock.ahead = 101
        for _ in 0..<2 { #expect(try cache.entry(for: key(1))?.metadata == stale) }
        #expect(cache.contains(key(1)))
        // It is the age that removes it.
        clock.ahead = 8 * 86_400
        #expect(try cache.entry(for: key(1)) == nil)
    }

    @Test func metadataAreReplacedAndThePayloadStays() throws {
        let cache = cache()
        try cache.store(data(100), metadata: metadata, for: key(1))
        let newer = EntryMetadata(storedAt: 9, validators: Validators(entityTag: "\"2\""))
        try cache.updateMetadata(newer, for: key(1))
        let entry = try #require(try cache.entry(for: key(1)))
        #expect(entry.metadata == newer)
        #expect(entry.data == data(100))
        try cache.updateMetadata(newer, for: key(2))
    }

    @Test(arguments: [ENOSPC, EROFS, EACCES, EIO])
    func aFailingDiskIsATypedErrorAndLeavesNothingBehind(_ code: Int32) throws {
        let cache = cache()
        try cache.store(data(10), metadata: metadata, for: key(1))
        files.fail(.publish, with: code)
        let error = #expect(throws: ImageError.self) {
            try cache.store(data(10), metadata: metadata, for: key(2))
        }
        #expect(error?.code == .cacheWrite)
        files.fail(.publish, with: nil)
        #expect(cache.totalSize.count == 1)
    }

    @Test func aPathThatIsAFileIsATypedError() throws {
        let path = folder.path + "/file"
        try Data([1]).write(to: URL(filePath: path))
        let cache = cache { $0.root = path }
        let error = #expect(throws: ImageError.self) {
            try cache.store(data(10), metadata: metadata, for: key(1))
        }
        #expect(error?.code == .cacheWrite)
        let read = #expect(throws: ImageError.self) { try cache.entry(for: key(1)) }
        #expect(read?.code == .cacheRead)
    }

    @Test func aDeletedFolderIsMadeAgainByTheNextStore() throws {
        let inner = folder.path + "/inner"
        let cache = cache { $0.root = inner }
        try cache.store(data(10), metadata: metadata, for: key(1))
        try files.rename(inner, to: folder.path + "/gone")
        #expect(try cache.entry(for: key(1)) == nil)
        try cache.store(data(10), metadata: metadata, for: key(1))
        #expect(try cache.entry(for: key(1)) != nil)
    }

    @Test func leftOverTemporaryFilesAreSwept() throws {
        let cache = cache()
        try cache.store(data(10), metadata: metadata, for: key(1))
        let left = cache.layout.place(of: key(1)).folder + "/.tmp-1-1"
        try Data([1]).write(to: URL(filePath: left))
        cache.trim()
        #expect(access(left, F_OK) == 0)
        clock.ahead = 700
        cache.trim()
        #expect(access(left, F_OK) != 0)
        #expect(try cache.entry(for: key(1)) != nil)
    }

    @Test func clearingEmptiesItAndNamespacesDoNotMix() throws {
        let one = cache(), two = cache { $0.namespace = "../../two" }
        try one.store(data(10), metadata: metadata, for: key(1))
        try two.store(data(10), metadata: metadata, for: key(1))
        try one.clear()
        #expect(try one.entry(for: key(1)) == nil)
        #expect(one.totalSize.count == 0)
        #expect(try two.entry(for: key(1)) != nil)
        #expect(two.layout.folder.hasPrefix(folder.path + "/"))
        #expect(!two.layout.folder.contains("/../"))
    }

    @Test func anUsedEntryOutlivesOlderOnes() throws {
        let cache = cache { $0.countLimit = 20 }
        for number in 0..<20 {
            try cache.store(data(10), metadata: metadata, for: key(number))
            let past = timespec(tv_sec: 1000 + time(nil) - 100_000 + number, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, cache.layout.place(of: key(number)).path, [past, past], 0) == 0)
        }
        #expect(try cache.entry(for: key(0)) != nil)
        try cache.store(data(10), metadata: metadata, for: key(100))
        #expect(cache.contains(key(0)))
        #expect(!cache.contains(key(1)))
        #expect(cache.contains(key(19)))
    }

    @Test func damagedTotalsAreCountedAnewAndEmptyNoCache() throws {
        let first = cache()
        for number in 0..<50 { try first.store(data(1000), metadata: metadata, for: key(number)) }
        let before = first.totalSize
        var file = try Data(contentsOf: URL(filePath: first.layout.totalsPath))
        // A shard that has many bytes and no entry.
        file.replaceSubrange(16..<24, with: [0, 0, 1, 0, 0, 0, 0, 0])
        try file.write(to: URL(filePath: first.layout.totalsPath))
        let second = cache { $0.byteLimit = .mebibytes(1) }
        try second.store(data(1000), metadata: metadata, for: key(0))
        #expect(second.totalSize == before)
    }

    @Test func aFileLongerThanTheCacheMayBeIsAMissWithoutTakingMemory() throws {
        let cache = cache { $0.byteLimit = .mebibytes(1) }
        try cache.store(data(10), metadata: metadata, for: key(1))
        let path = cache.layout.place(of: key(1)).path
        #expect(truncate(path, 1 << 40) == 0)
        #expect(try cache.entry(for: key(1)) == nil)
        #expect(access(path, F_OK) != 0)
    }

    @Test func metadataBeyondTheLimitAreATypedError() throws {
        let cache = cache()
        let large = EntryMetadata(storedAt: 0, extendedData: data(EntryFile.trailerLimit))
        let error = #expect(throws: ImageError.self) {
            try cache.store(data(10), metadata: large, for: key(1))
        }
        #expect(error?.code == .cacheWrite)
        #expect(try cache.entry(for: key(1)) == nil)
    }

    @Test func cachesOfOneProcessDoNotShareTemporaryNames() throws {
        let cache = cache()
        try cache.store(data(10), metadata: metadata, for: key(1))
        // A killed process with the same number left this; names must not depend on the number alone.
        let folder = cache.layout.place(of: key(1)).folder
        for number in 1...20 {
            try Data([1]).write(to: URL(filePath: "\(folder)/.tmp-\(getpid())-\(number)"))
        }
        for _ in 0..<10 { try self.cache().store(data(10), metadata: metadata, for: key(1)) }
        #expect(cache.totalSize.count == 1)
    }

    @Test func totalsOfAVanishedFolderAreNotKept() throws {
        let inner = folder.path + "/inner"
        let first = cache { $0.root = inner }
        for number in 0..<10 { try first.store(data(10), metadata: metadata, for: key(number)) }
        try files.rename(inner, to: folder.path + "/gone")
        try first.store(data(10), metadata: metadata, for: key(1))
        #expect(first.totalSize.count == 1)
        #expect(cache { $0.root = inner }.totalSize.count == 1)
    }

    @Test func longKeysHaveShortNames() throws {
        let cache = cache()
        let long = CacheKey(
            "https://host/" + String(repeating: "ä", count: 5000) + ".jpeg?"
                + String(repeating: "q", count: 5000))
        try cache.store(data(10), metadata: metadata, for: long)
        #expect(try cache.entry(for: long)?.data == data(10))
        #expect(cache.layout.place(of: long).path.hasSuffix(".jpeg"))
    }

    @Test func manyWritersAndReadersNeverSeeATornEntry() async throws {
        let caches = [cache { $0.byteLimit = .kibibytes(200) }, cache { $0.byteLimit = .kibibytes(200) }]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var random = SystemRandomNumberGenerator()
                    for _ in 0..<500 {
                        let number = Int.random(in: 0..<60, using: &random)
                        let cache = caches[worker % 2]
                        if Bool.random(using: &random) {
                            try cache.store(
                                data(1000 + number * 50, UInt8(number)), metadata: metadata, for: key(number))
                        } else if let entry = try cache.entry(for: key(number)) {
                            #expect(entry.data == data(1000 + number * 50, UInt8(number)))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        caches[0].trim()
        #expect(caches[0].totalSize.bytes <= .kibibytes(200))
    }
}
