// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WICache

#if canImport(Glibc)
    import Glibc
#endif

/// The whole way of a request over a real cache: memory, files, and what the files' system does.
@Suite(.timeLimit(.minutes(5))) struct ImageCacheManagerTests {
    private final class Failures: ImageManagerDelegate {
        private let found = Locked<[ImageError]>([])
        var errors: [ImageError] { found.withLock { $0 } }
        func imageManager(
            _ manager: ImageManager, cacheDidFail error: ImageError, for request: ImageRequest
        ) {
            found.withLock { $0.append(error) }
        }
    }

    private let folder: TemporaryFolder
    private let files = FaultyFileSystem()
    private let loader = GatedLoader()
    private let coder = ToyCoder()
    private let url = "http://host/a.toy"

    init() throws {
        folder = try TemporaryFolder()
        loader.answer(url, .bytes(ToyCoder.file()))
    }

    private func cache(root: String? = nil) -> ImageCache {
        var configuration = DiskCacheConfiguration(root: root ?? folder.path)
        configuration.fileSystem = files
        configuration.sweepsInBackground = false
        return ImageCache(
            memory: MemoryCache(limits: .init(cost: .mebibytes(1)), yieldsUnderPressure: false),
            disk: DiskCache(configuration: configuration))
    }

    private func manager(_ cache: any ImageCaching) -> ImageManager {
        ImageManager(cache: cache, loader: loader, coder: coder)
    }

    @Test func manyReadersOfOneStoredPictureShareOneReadAndOneDecode() async throws {
        let cache = cache()
        let manager = manager(cache)
        _ = try await manager.image(for: ImageRequest(url))
        await manager.drain()
        cache.memory.removeAll()
        let before = (reads: files.count(.read), decodes: coder.decodeCount)
        let tasks = (0..<500).map { _ in manager.task(for: ImageRequest(url)) }
        for task in tasks { #expect(try await task.result().image.size == PixelSize(width: 4, height: 3)) }
        #expect(files.count(.read) == before.reads + 1)
        #expect(coder.decodeCount == before.decodes + 1)
        #expect(loader.loads.count == 1)
    }

    @Test func aPictureIsWrittenOnceAndReadBackIntoMemory() async throws {
        let cache = cache()
        let manager = manager(cache)
        _ = try await manager.image(for: ImageRequest(url))
        await manager.drain()
        #expect(files.count(.publish) == 1)
        cache.memory.removeAll()
        #expect(try await manager.image(for: ImageRequest(url)).origin == .disk)
        #expect(try await manager.image(for: ImageRequest(url)).origin == .memory)
        await manager.drain()
        #expect(files.count(.publish) == 1)
    }

    @Test(arguments: [
        (FaultyFileSystem.Operation.write, ENOSPC), (.publish, EROFS), (.write, EACCES),
        (.makeFolder, EACCES),
        (.read, EIO),
    ])
    func theLoadSucceedsAndTheFailureOfTheDiskIsReported(
        _ operation: FaultyFileSystem.Operation, _ code: Int32
    ) async throws {
        let failures = Failures()
        let cache = cache()
        let manager = manager(cache)
        manager.setDelegate(failures)
        files.fail(operation, with: code)
        #expect(try await manager.image(for: ImageRequest(url)).origin == .loader)
        await manager.drain()
        let error = try #require(failures.errors.first)
        #expect(error.code == (operation == .read ? .cacheRead : .cacheWrite))
        // And it works again as soon as the disk does.
        files.fail(operation, with: nil)
        cache.memory.removeAll()
        _ = try await manager.image(for: ImageRequest(url, options: .fromLoaderOnly))
        await manager.drain()
        cache.memory.removeAll()
        #expect(try await manager.image(for: ImageRequest(url)).origin == .disk)
    }

    @Test func aPathThatIsAFileKeepsNoLoadFromSucceeding() async throws {
        let path = folder.path + "/file"
        try Data([1]).write(to: URL(filePath: path))
        let manager = manager(cache(root: path))
        for _ in 0..<2 {
            #expect(
                try await manager.image(for: ImageRequest(url)).image.size == PixelSize(width: 4, height: 3))
            await manager.drain()
        }
    }

    @Test func aDamagedEntryIsLoadedAgainAndMended() async throws {
        let cache = cache()
        let manager = manager(cache)
        let request = ImageRequest(url)
        _ = try await manager.image(for: request)
        await manager.drain()
        let path = try #require(cache.disk?.path(for: request.key))
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[2] ^= 1
        try bytes.write(to: URL(filePath: path))
        cache.memory.removeAll()
        #expect(try await manager.image(for: request).origin == .loader)
        await manager.drain()
        #expect(cache.disk?.verify().damaged.isEmpty == true)
        #expect(cache.disk?.verify().count == 1)
    }

    @Test func aDiskCacheBelowAMemoryCacheIsWrittenBackToTheOneAbove() async throws {
        let low = cache(root: folder.path + "/low"), high = cache(root: folder.path + "/high")
        let first = manager(low)
        _ = try await first.image(for: ImageRequest(url))
        await first.drain()
        let caches = CachesManager([low, high])
        low.memory.removeAll()
        let manager = manager(caches)
        #expect(try await manager.image(for: ImageRequest(url)).origin == .disk)
        await manager.drain()
        #expect(high.disk?.contains(ImageRequest(url).key) == true)
        #expect(high.memory.contains(ImageRequest(url).key))
    }
}
