// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WICache

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct DiskCacheMovingTests {
    private let folder: TemporaryFolder
    private let files = FaultyFileSystem()

    init() throws { folder = try TemporaryFolder() }

    private func cache(_ name: String, namespace: String = "default", byteLimit: ByteCount = .mebibytes(1))
        -> DiskCache
    {
        var configuration = DiskCacheConfiguration(root: folder.path + "/" + name)
        configuration.namespace = namespace
        configuration.byteLimit = byteLimit
        configuration.fileSystem = files
        configuration.sweepsInBackground = false
        return DiskCache(configuration: configuration)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey("https://host/\(number).png") }
    private func store(_ number: Int, _ byte: UInt8, in cache: DiskCache) throws {
        try cache.store(
            Data(repeating: byte, count: 100), metadata: EntryMetadata(storedAt: 5, contentType: "image/png"),
            for: key(number))
    }

    /// Also to another disk, where nothing can be renamed to.
    @Test(arguments: [nil, EXDEV]) func allEntriesMoveAndOwnOnesStay(_ fault: Int32?) throws {
        let old = cache("old"), new = cache("new", namespace: "other")
        for number in 0..<100 { try store(number, 1, in: old) }
        try store(7, 2, in: new)
        try store(200, 2, in: new)
        let size = old.totalSize.bytes
        files.fail(.rename, with: fault)
        #expect(try new.moveEntries(from: old) == 99)
        #expect(Array(old.entries).isEmpty)
        #expect(old.totalSize == (.zero, 0))
        #expect(new.totalSize.count == 101)
        #expect(new.totalSize.bytes.bytes > size.bytes)
        #expect(try new.entry(for: key(7))?.data.first == 2)
        #expect(try new.entry(for: key(8))?.data.first == 1)
        #expect(try new.entry(for: key(8))?.metadata.contentType == "image/png")
        #expect(new.verify().damaged.isEmpty)
        #expect(try new.moveEntries(from: old) == 0)
    }

    @Test func theLimitHoldsWhileEntriesCome() throws {
        let old = cache("old"), new = cache("new", byteLimit: .kibibytes(4))
        for number in 0..<100 { try store(number, 1, in: old) }
        try new.moveEntries(from: old)
        #expect(new.totalSize.bytes <= .kibibytes(4))
        #expect(new.totalSize.count > 5)
    }

    @Test func aCacheMovesNothingToItselfAndNothingFromNowhere() throws {
        let one = cache("one")
        try store(1, 1, in: one)
        #expect(try one.moveEntries(from: cache("one")) == 0)
        #expect(try one.moveEntries(from: cache("none")) == 0)
        #expect(one.totalSize.count == 1)
    }

    @Test func whatCannotBeMovedStaysAndIsAnError() throws {
        let old = cache("old"), new = cache("new")
        try store(1, 1, in: old)
        files.fail(.makeFolder, with: ENOSPC)
        let error = #expect(throws: ImageError.self) { try new.moveEntries(from: old) }
        #expect(error?.code == .cacheWrite)
        files.fail(.makeFolder, with: nil)
        #expect(try old.entry(for: key(1)) != nil)
    }
}
