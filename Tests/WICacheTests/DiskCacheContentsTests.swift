// SPDX-License-Identifier: MIT
import FoundationEssentials
import Glibc
import Testing
import WICore
import WITestKit

@testable import WICache

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct DiskCacheContentsTests {
    private let folder: TemporaryFolder
    private let files = FaultyFileSystem()
    private let cache: DiskCache
    private let metadata = EntryMetadata(
        storedAt: 5, expiresAt: 6, contentType: "image/png", validators: Validators(entityTag: "\"1\""))

    init() throws {
        folder = try TemporaryFolder()
        var configuration = DiskCacheConfiguration(root: folder.path)
        configuration.fileSystem = files
        configuration.sweepsInBackground = false
        cache = DiskCache(configuration: configuration)
    }

    private func key(_ path: String, _ parts: [KeyPart] = []) -> CacheKey {
        CacheKey("https://host/" + path, parts: parts)
    }
    private func store(_ key: CacheKey, _ count: Int = 100) throws {
        try cache.store(Data(repeating: 1, count: count), metadata: metadata, for: key)
    }
    private func setTimes(_ path: String, _ ago: Int) {
        let past = timespec(tv_sec: time(nil) - ago, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, path, [past, past], 0) == 0)
    }

    @Test func thePathOfAnEntryIsTheFileThatAppearsWhenItIsStored() throws {
        let path = cache.path(for: key("a.png"))
        #expect(access(path, F_OK) != 0)
        try store(key("a.png"), 10)
        #expect(try Data(contentsOf: URL(filePath: path)).prefix(10) == Data(repeating: 1, count: 10))
        #expect(path.hasSuffix(".png"))
    }

    @Test func entriesAreListedWithKeyMetadataAndSizesAndThatIsNoUse() throws {
        let keys = [key("a.png"), key("a.png", [KeyPart("thumbnail", "30x20")]), key("ü?x=1:2")]
        for (index, key) in keys.enumerated() {
            try store(key, 100 + index)
            setTimes(cache.path(for: key), 1000)
        }
        let entries = Array(cache.entries)
        #expect(Set(entries.map(\.key)) == Set(keys))
        for entry in entries {
            #expect(entry.metadata == metadata)
            #expect(entry.path == cache.path(for: entry.key))
            #expect(entry.byteCount == ByteCount(100 + (keys.firstIndex(of: entry.key) ?? -1)))
            let status = try files.status(entry.path)
            #expect(entry.fileSize == ByteCount(status.size))
            #expect(status.accessedAt < TimeSource.system.secondsSince1970() - 900)
        }
        #expect(files.count(.read) == 0)
    }

    @Test func longMetadataAreListedToo() throws {
        let large = EntryMetadata(storedAt: 5, extendedData: Data(repeating: 7, count: 100_000))
        try cache.store(Data([1]), metadata: large, for: key("a"))
        #expect(Array(cache.entries).first?.metadata == large)
        #expect(Array(cache.entries).first?.byteCount == 1)
    }

    @Test func clearingGoesPastWhatIsNoEntry() throws {
        for number in 0..<50 { try store(key("\(number)")) }
        for number in 0..<50 {
            try files.makeFolder(cache.layout.place(of: key("\(number)")).folder + "/folder")
        }
        try cache.clear()
        #expect(cache.totalSize == (.zero, 0))
        #expect(Array(cache.entries).isEmpty)
    }

    @Test func aCopyUnderAnotherNameIsNotListed() throws {
        try store(key("a"))
        let path = cache.path(for: key("a"))
        try Data(contentsOf: URL(filePath: path)).write(to: URL(filePath: path + "-copy"))
        #expect(Array(cache.entries).map(\.path) == [path])
        #expect(cache.verify().damaged.count == 1)
    }

    @Test func whatIsNoEntryOrHasExpiredIsNotListed() throws {
        for name in ["a", "b", "c"] { try store(key(name)) }
        try Data("noise".utf8).write(to: URL(filePath: cache.path(for: key("a"))))
        setTimes(cache.path(for: key("b")), 8 * 86_400)
        try files.write([Data([1])], to: cache.layout.place(of: key("c")).folder + "/.tmp-x-1")
        try files.makeFolder(cache.layout.place(of: key("c")).folder + "/folder")
        #expect(Array(cache.entries).map(\.key) == [key("c")])
        #expect(Array(DiskCache(configuration: .init(root: folder.path + "/none")).entries).isEmpty)
    }

    @Test func removalByPrefixTakesWhatWasDerivedTooAndNothingElse() throws {
        let gone = [
            key("album/1.jpg"), key("album/1.jpg", [KeyPart("thumbnail", "30x20")]), key("album/2.jpg"),
        ]
        let kept = [key("albums/1.jpg"), key("b.jpg"), CacheKey("http://host/album/1.jpg")]
        for key in gone + kept { try store(key) }
        #expect(try cache.removeAll(urlPrefix: "https://host/album/") == 3)
        for key in gone { #expect(!cache.contains(key)) }
        for key in kept { #expect(cache.contains(key)) }
        #expect(cache.totalSize.count == kept.count)
    }

    @Test func onlyWhatHasExpiredIsRemovedOnRequest() throws {
        for number in 0..<20 { try store(key("\(number)")) }
        for number in 0..<5 { setTimes(cache.path(for: key("\(number)")), 8 * 86_400) }
        #expect(cache.removeExpired() == 5)
        #expect(cache.totalSize.count == 15)
        #expect(cache.removeExpired() == 0)
    }

    @Test func verifyingReadsEveryEntryReportsDamageAndChangesNothing() throws {
        for number in 0..<6 { try store(key("\(number)"), 10) }
        let paths = (0..<6).map { cache.path(for: key("\($0)")) }
        var bytes = try Data(contentsOf: URL(filePath: paths[0]))
        try bytes.prefix(20).write(to: URL(filePath: paths[1]))
        bytes[3] ^= 1
        try bytes.write(to: URL(filePath: paths[0]))
        // A good entry in another one's place.
        try Data(contentsOf: URL(filePath: paths[3])).write(to: URL(filePath: paths[2]))
        let result = cache.verify()
        #expect(result.count == 3)
        #expect(result.bytes == 30)
        #expect(Set(result.damaged.map(\.path)) == Set(paths[0...2]))
        #expect(result.damaged.contains { $0.path == paths[0] && $0.reason.contains("checksum") })
        #expect(result.damaged.contains { $0.path == paths[1] && $0.fileSize == 20 })
        #expect(paths.allSatisfy { access($0, F_OK) == 0 })
        #expect(cache.verify() == result)
    }

    @Test func aFileThatTheProgramCameWithIsReadWhereThereIsNoEntry() throws {
        let path = folder.path + "/bundled.png"
        try Data([7]).write(to: URL(filePath: path))
        var configuration = cache.configuration
        configuration.additionalFile = { $0.base.hasSuffix("missing") ? "/nowhere" : path }
        let cache = DiskCache(configuration: configuration)
        #expect(try cache.entry(for: key("a"))?.data == Data([7]))
        #expect(try cache.entry(for: key("missing")) == nil)
        try store(key("a"), 3)
        #expect(try cache.entry(for: key("a"))?.data == Data([1, 1, 1]))
        try cache.clear()
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([7]))
    }

    @Test func flushingReachesTheDiskAndItsFailureIsTyped() throws {
        try cache.flush()
        try store(key("a"))
        try cache.flush()
        files.fail(.sync, with: EIO)
        let error = #expect(throws: ImageError.self) { try cache.flush() }
        #expect(error?.code == .cacheWrite)
    }

    @Test func theBackgroundSweepRemovesWhatHasExpiredWhereNobodyStores() throws {
        for number in 0..<300 { try store(key("\(number)")) }
        for number in 0..<300 { setTimes(cache.path(for: key("\(number)")), 8 * 86_400) }
        // Everything was counted just now.
        cache.sweep()
        #expect(access(cache.path(for: key("0")), F_OK) == 0)
        var configuration = cache.configuration
        configuration.time = TimeSource(
            secondsSince1970: { TimeSource.system.secondsSince1970() + 50_000 }, monotonic: { .zero })
        let later = DiskCache(configuration: configuration)
        later.sweep()
        #expect((0..<300).allSatisfy { access(cache.path(for: key("\($0)")), F_OK) != 0 })
        #expect(later.totalSize == (.zero, 0))
    }

    @Test(arguments: [
        (["XDG_CACHE_HOME": "/some/cache", "HOME": "/home/u"], "/some/cache/webimage"),
        // The specification says to ignore what is no absolute path.
        (["XDG_CACHE_HOME": "relative", "HOME": "/home/u"], "/home/u/.cache/webimage"),
        (["XDG_CACHE_HOME": "", "HOME": "/home/u"], "/home/u/.cache/webimage"),
        ([:], "/tmp/webimage-\(geteuid())"),
    ])
    func theDefaultFolderFollowsTheEnvironment(_ variables: [String: String], _ folder: String) {
        #expect(DiskCacheConfiguration.userFolder { variables[$0] } == folder)
    }
}
