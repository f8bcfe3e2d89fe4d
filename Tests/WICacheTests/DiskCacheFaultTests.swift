// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WICache

#if canImport(Glibc)
    import Glibc

    /// Disks that fail in earnest, not by a double.
    @Suite(.enabled("needs the right to mount a file system") { TemporaryMount.isPossible })
    struct DiskCacheFaultTests {
        private let metadata = EntryMetadata(storedAt: 5)
        private func key(_ number: Int) -> CacheKey { CacheKey("https://host/\(number).png") }
        private func data(_ number: Int) -> Data { Data(repeating: UInt8(number & 255), count: 20_000) }

        private func temporaryFiles(below cache: DiskCache) -> [String] {
            let files = LocalFileSystem()
            return (0..<DiskTotals.shards).flatMap { shard in
                ((try? files.list(cache.layout.folder(of: shard))) ?? []).filter { $0.hasPrefix(".tmp-") }
            }
        }

        @Test func aFullDiskIsATypedErrorLeavesNoTemporaryFileAndWhatWasThereStays() throws {
            let disk = try #require(try TemporaryMount(size: "1m"))
            let cache = DiskCache(configuration: DiskCacheConfiguration(root: disk.path))
            var stored = 0
            var failure: ImageError?
            while failure == nil, stored < 100 {
                do throws(ImageError) {
                    try cache.store(data(stored), metadata: metadata, for: key(stored))
                    stored += 1
                } catch {
                    failure = error
                }
            }
            #expect(failure?.code == .cacheWrite)
            #expect(failure?.isRetryable == true)
            #expect(failure?.underlying?.contains("No space left") == true)
            #expect((20..<60).contains(stored))
            #expect(temporaryFiles(below: cache).isEmpty)
            for number in 0..<stored { #expect(try cache.entry(for: key(number))?.data == data(number)) }
            #expect(cache.totalSize.count == stored)
            try cache.remove(key(0))
            try cache.remove(key(1))
            try cache.store(data(7), metadata: metadata, for: key(1000))
            #expect(try cache.entry(for: key(1000))?.data == data(7))
        }

        @Test(arguments: [true, false])
        func aUseIsNotedOnADiskThatNotesNoAccess(_ notesAccess: Bool) throws {
            let disk = try #require(try TemporaryMount(size: "1m", notesAccess: notesAccess))
            let cache = DiskCache(configuration: DiskCacheConfiguration(root: disk.path))
            try cache.store(data(1), metadata: metadata, for: key(1))
            let past = timespec(tv_sec: time(nil) - 86_400, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, cache.path(for: key(1)), [past, past], 0) == 0)
            _ = Array(cache.entries)
            _ = cache.verify()
            let before = try LocalFileSystem().status(cache.path(for: key(1)))
            #expect(before.accessedAt == Double(past.tv_sec))
            #expect(try cache.entry(for: key(1)) != nil)
            let after = try LocalFileSystem().status(cache.path(for: key(1)))
            #expect(after.accessedAt > before.accessedAt + 86_000)
            #expect(after.modifiedAt == before.modifiedAt)
        }

        @Test func aCacheOpensOnADiskThatIsAlreadyFull() throws {
            let disk = try #require(try TemporaryMount(size: "64k"))
            let filler = Data(repeating: 1, count: 4096)
            var number = 0
            while (try? filler.write(to: URL(filePath: "\(disk.path)/\(number)"))) != nil, number < 100 {
                number += 1
            }
            let cache = DiskCache(configuration: DiskCacheConfiguration(root: disk.path))
            let error = #expect(throws: ImageError.self) {
                try cache.store(data(1), metadata: metadata, for: key(1))
            }
            #expect(error?.code == .cacheWrite)
            #expect(try cache.entry(for: key(1)) == nil)
            #expect(cache.totalSize.count == 0)
        }

        @Test func aReadOnlyDiskServesWhatItHasAndRefusesTheRest() throws {
            let disk = try #require(try TemporaryMount(size: "1m"))
            // A cache that has its totals open holds the disk writable: it goes first.
            try DiskCache(configuration: DiskCacheConfiguration(root: disk.path))
                .store(data(1), metadata: metadata, for: key(1))
            #expect(disk.makeReadOnly())
            let cache = DiskCache(configuration: DiskCacheConfiguration(root: disk.path))
            for _ in 0..<2 {
                #expect(try cache.entry(for: key(1))?.data == data(1))
                #expect(try cache.entry(for: key(2)) == nil)
                #expect(cache.totalSize.count == 1)
                for attempt in [
                    { try cache.store(data(2), metadata: metadata, for: key(2)) },
                    { try cache.remove(key(1)) }, { try cache.clear() },
                ] as [() throws -> Void] {
                    let error = #expect(throws: ImageError.self) { try attempt() }
                    #expect(error?.code == .cacheWrite)
                }
                cache.trim()
                #expect(try cache.entry(for: key(1))?.data == data(1))
                #expect(cache.totalSize.count == 1)
            }
        }
    }
#endif
