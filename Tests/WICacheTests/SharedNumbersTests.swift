// SPDX-License-Identifier: MIT
import Dispatch
import FoundationEssentials
import Glibc
import Testing
import WICore
import WITestKit

@testable import WICache

@Suite struct SharedNumbersTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/numbers" }

    init() throws { folder = try TemporaryFolder() }

    @Test func changesByManyThreadsThroughSeveralFilesAreAllCounted() {
        let all = (0..<4).map { _ in SharedNumbers(path: path, count: 8) }
        DispatchQueue.concurrentPerform(iterations: 800) { number in
            all[number % 4].change(3) { $0 + 1 }
        }
        #expect(all.map { $0[3] } == [800, 800, 800, 800])
        #expect(all[0].all == [0, 0, 0, 800, 0, 0, 0, 0])
    }

    @Test func aChangeThatIsNotWantedChangesNothing() {
        let numbers = SharedNumbers(path: path, count: 2)
        numbers.change(1) { _ in 5 }
        let refused = numbers.change(1) { $0 == 4 ? 6 : nil }
        #expect(!refused && numbers[1] == 5)
        let done = numbers.change(1) { $0 == 5 ? 6 : nil }
        #expect(done && numbers[1] == 6)
    }

    @Test(arguments: [0, 3, 8, 16]) func whatAShortenedFileLacksReadsAsZeroAndComesBack(length: Int) {
        let numbers = SharedNumbers(path: path, count: 4)
        for index in 0..<4 { numbers.change(index) { _ in 7 } }
        #expect(truncate(path, length) == 0)
        #expect(numbers.all[3] == 0 && numbers[3] == 0)
        numbers.change(3) { $0 - 2 }
        #expect(numbers[3] == -2 && numbers[2] == 0)
    }

    @Test func whatIsNoPlainFileIsNotOpened() throws {
        _ = FileManager.default.createFile(atPath: folder.path + "/victim", contents: Data("keep".utf8))
        symlink("victim", path)
        mkfifo(folder.path + "/pipe", 0o600)
        for path in [path, folder.path + "/pipe", folder.path, folder.path + "/missing/numbers"] {
            let numbers = SharedNumbers(path: path, count: 2)
            numbers.change(1) { _ in 5 }
            #expect(numbers.all == [0, 5])
        }
        #expect(try Data(contentsOf: URL(filePath: folder.path + "/victim")) == Data("keep".utf8))
    }

    @Test func aCacheWhoseTotalsAreShortenedInUseCountsItsShardsAnew() throws {
        let cache = DiskCache(configuration: DiskCacheConfiguration(root: folder.path))
        func store(_ number: Int) throws {
            try cache.store(
                Data(count: 100), metadata: EntryMetadata(storedAt: 0), for: CacheKey("http://host/\(number)")
            )
        }
        for number in 0..<20 { try store(number) }
        let before = cache.totalSize
        #expect(before.count == 20)
        #expect(truncate(cache.layout.totalsPath, 0) == 0)
        try store(3)
        #expect(cache.totalSize == before)
    }
}
