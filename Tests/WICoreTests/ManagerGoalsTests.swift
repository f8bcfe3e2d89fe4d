// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

/// What a manager does beside handing over pictures: bytes, heads, explanations, closures, the end.
@Suite(.timeLimit(.minutes(5))) struct ManagerGoalsTests {
    @Test func bytesComeWithoutADecodeAndAreStored() async throws {
        let stage = ManagerStage()
        let request = ImageRequest(stage.url, context: [.set(.thumbnailSize, PixelSize(width: 2, height: 2))])
        let first = try await stage.manager.data(for: request)
        #expect(first.data == ToyCoder.file())
        #expect(first.origin == .loader)
        await stage.manager.drain()
        let second = try await stage.manager.data(for: request)
        #expect(second.origin == .disk)
        #expect(second.data == ToyCoder.file())
        #expect(second.metadata.validators.entityTag == "\"1\"")
        #expect(stage.coder.decodeCount == 0)
        #expect(stage.loader.loads.count == 1)
        #expect(stage.cache.storedKeys == [request.originalKey])
    }

    @Test func aRequestForBytesAndOneForPixelsShareTheLoad() async throws {
        let stage = ManagerStage(isOpen: false)
        let picture = stage.manager.task(for: ImageRequest(stage.url))
        await stage.loader.gate.waitForArrivals(1)
        let manager = stage.manager
        async let data = manager.data(for: ImageRequest(stage.url))
        stage.loader.gate.open()
        #expect(try await picture.result().origin == .loader)
        #expect(try await data.data == ToyCoder.file())
        #expect(stage.loader.loads.count == 1)
    }

    @Test func prefetchingStoresBeforeItReturnsAndReadsNothingTwice() async throws {
        let stage = ManagerStage()
        #expect(try await stage.manager.prefetch(ImageRequest(stage.url)).origin == .loader)
        #expect(stage.cache.storedKeys.count == 1)
        let again = try await stage.manager.prefetch(ImageRequest(stage.url))
        #expect(again.origin == .disk)
        #expect(again.data == nil)
        #expect(stage.loader.loads.count == 1)
        #expect(stage.coder.decodeCount == 0)
        #expect(try await stage.manager.image(for: ImageRequest(stage.url)).origin == .disk)
    }

    @Test func aLoaderThatMakesPicturesHasNoBytesToGive() async throws {
        let stage = ManagerStage()
        let pixels = try MutablePixels(width: 1, height: 1).publish()
        stage.loader.answer(stage.url, .image(DecodedImage(pixels: pixels)))
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.data(for: ImageRequest(stage.url))
        }
        #expect(error?.code == .unsupportedFeature)
    }

    @Test func aHeadEndsItsTransferAndStoresNothing() async throws {
        let stage = ManagerStage()
        let file = ToyCoder.file(width: 9, height: 8)
        stage.loader.answer(stage.url, .chunks([file.prefix(3), file.dropFirst(3), Data(count: 1 << 20)]))
        let info = try await stage.manager.imageInfo(for: ImageRequest(stage.url))
        #expect(info.storedSize == PixelSize(width: 9, height: 8))
        await stage.manager.drain()
        #expect(stage.cache.storedKeys.isEmpty)
        _ = try await stage.manager.image(for: ImageRequest(stage.url))
        await stage.manager.drain()
        _ = try await stage.manager.imageInfo(for: ImageRequest(stage.url))
        #expect(stage.loader.loads.count == 2)
        stage.loader.answer("http://host/page", .bytes(Data("<html>".utf8)))
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.imageInfo(for: ImageRequest("http://host/page"))
        }
        #expect(error?.code == .notAnImage)
    }

    @Test func closuresAreCalledOnceWhereTheyWant() async throws {
        let stage = ManagerStage()
        let calls = Gate()
        let queue = CallbackQueue { body in Task { body() } }
        let results = ResultsBox()
        for request in [ImageRequest(stage.url), ImageRequest("http://host/missing.toy")] {
            stage.manager.load(request, queue: queue) { result in
                results.add(result)
                Task { await calls.pass() }
            }
        }
        await calls.waitForArrivals(2)
        // A picture in memory is given before the call returns.
        stage.manager.load(ImageRequest(stage.url)) { results.add($0) }
        #expect(results.origins.sorted() == ["loader", "memory"])
        #expect(results.codes == [.httpStatus])
        calls.open()
    }

    @Test func cancelAllEndsWhatRunsAndNothingElse() async throws {
        let stage = ManagerStage(isOpen: false)
        let tasks = (0..<3).map { stage.manager.task(for: ImageRequest("http://host/\($0).toy")) }
        await stage.loader.gate.waitForArrivals(3)
        stage.manager.cancelAll()
        for task in tasks {
            let error = await #expect(throws: ImageError.self) { try await task.result() }
            #expect(error?.code == .cancelled)
        }
        await stage.manager.drain()
        #expect(!stage.manager.isRunning)
        stage.loader.gate.open()
        #expect(try await stage.manager.image(for: ImageRequest(stage.url)).origin == .loader)
    }

    @Test func afterShutdownNotEvenMemoryAnswers() async throws {
        let stage = ManagerStage()
        _ = try await stage.manager.image(for: ImageRequest(stage.url))
        await stage.manager.shutdown()
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(stage.url))
        }
        #expect(error?.code == .shutDown)
        #expect(stage.manager.cachedImage(for: ImageRequest(stage.url)) == nil)
    }

    @Test func anExplanationSaysWhatEachLevelWouldAnswer() async throws {
        let stage = ManagerStage()
        let request = ImageRequest(
            stage.url, context: [.set(.transformer, Paint(value: 7)), .set(.freshnessPolicy, .http)])
        let before = await stage.manager.explain(request)
        #expect(before.levels.map(\.state) == [.absent, .absent, .absent, .absent, .absent])
        #expect(before.loader == "GatedLoader")
        #expect(before.loadRefusal == nil)
        #expect(before.key == request.key)
        _ = try await stage.manager.image(for: request)
        await stage.manager.drain()
        let after = await stage.manager.explain(request)
        // Without a word from the server an answer is stale at once.
        #expect(after.levels.map(\.state) == [.stale, .stale, .absent, .stale, .absent])
        #expect(after.format == ToyCoder.format)
        #expect(stage.loader.loads.count == 1)
        let refused = await stage.manager.explain(ImageRequest(stage.url, options: .fromCacheOnly))
        #expect(refused.loadRefusal?.code == .cacheMiss)
        #expect(await stage.manager.explain(ImageRequest("nonsense")).problem?.code == .invalidURL)
        #expect(after.description.contains("disk, original: stale"))
    }

    @Test func aMemoryHitBringsItsBytesWhereTheyAreAskedFor() async throws {
        let stage = ManagerStage()
        _ = try await stage.manager.image(for: ImageRequest(stage.url))
        await stage.manager.drain()
        #expect(try await stage.manager.image(for: ImageRequest(stage.url)).data == nil)
        let request = ImageRequest(stage.url, options: .queryMemoryData)
        let hit = try await stage.manager.image(for: request)
        #expect(hit.origin == .memory)
        #expect(hit.data == ToyCoder.file())
        #expect(try await stage.manager.task(for: request).result().data == ToyCoder.file())
    }

    /// An immediate task runs on its caller up to the first suspension: what is done by then has none.
    @Test func aPictureInMemoryIsGivenWithoutASuspension() async throws {
        let stage = ManagerStage()
        let manager = stage.manager, request = manager.prepare(ImageRequest(stage.url))
        _ = try await manager.image(for: request)
        let found = Locked<ImageResult.Origin?>(nil)
        let task = Task.immediate {
            let result = try await manager.image(for: request)
            found.withLock { $0 = result.origin }
        }
        let origin = found.withLock { $0 }
        #expect(origin == .memory)
        try await task.value
        #expect(manager.cachedImage(for: request)?.origin == .memory)
    }

    @Test func originalsInACacheOfTheirOwnAreFoundThere() async throws {
        let stage = ManagerStage()
        let originals = DictionaryCache()
        let plain = ImageRequest(stage.url, context: [.set(.originalImageCache, originals)])
        _ = try await stage.manager.image(for: plain)
        await stage.manager.drain()
        #expect(stage.cache.storedKeys == [plain.key])
        #expect(originals.storedKeys == [plain.key])
        try await stage.cache.clear(.all)
        #expect(try await stage.manager.image(for: plain).origin == .disk)
        #expect(stage.loader.loads.count == 1)
    }
}

private final class ResultsBox: Sendable {
    private let results = Locked<[Result<ImageResult, ImageError>]>([])
    func add(_ result: Result<ImageResult, ImageError>) { results.withLock { $0.append(result) } }
    var origins: [String] { results.withLock { $0 }.compactMap { try? $0.get().origin.rawValue } }
    var codes: [ImageError.Code] {
        results.withLock { $0 }.compactMap { if case .failure(let error) = $0 { error.code } else { nil } }
    }
}
