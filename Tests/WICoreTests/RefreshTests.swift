// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

private final class Seconds: Sendable {
    private let box = Locked(1000.0)
    var value: Double { box.withLock { $0 } }
    func pass(_ seconds: Double) { box.withLock { $0 += seconds } }
}

private struct Stage {
    let cache = DictionaryCache()
    let loader = GatedLoader(isOpen: true)
    let coder = ToyCoder()
    let clock = Seconds()
    let manager: ImageManager
    let url = "http://host/a.toy"
    static let old = ToyCoder.file(color: [1, 1, 1, 255])
    static let new = ToyCoder.file(color: [2, 2, 2, 255])

    init(_ policy: FreshnessPolicy = .http) {
        var configuration = ImageManagerConfiguration()
        configuration.defaultContext[.freshnessPolicy] = policy
        let clock = clock
        configuration.time = TimeSource(
            secondsSince1970: { clock.value }, monotonic: { .seconds(clock.value) })
        manager = ImageManager(cache: cache, loader: loader, coder: coder, configuration: configuration)
    }

    func serve(_ data: Data, _ headers: HTTPHeaders) { loader.answer(url, .http(data, headers)) }
    func pass(_ seconds: Double) { clock.pass(seconds) }

    func get(_ options: ImageOptions = [], _ context: ImageContext = ImageContext()) async throws
        -> ImageResult
    {
        let result = try await manager.image(for: ImageRequest(url, options: options, context: context))
        await manager.drain()
        return result
    }

    func pixel(_ result: ImageResult) -> UInt8 { result.image.pixels.withUnsafeBytes { $0[0] } }
}

@Suite(.timeLimit(.minutes(5))) struct RefreshTests {
    @Test(arguments: [true, false])
    func aStalePictureThatTheServerConfirmsIsFreshAgain(_ inMemory: Bool) async throws {
        let stage = Stage()
        stage.serve(Stage.old, ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        _ = try await stage.get()
        stage.pass(61)
        if !inMemory { stage.cache.clearMemory() }
        let confirmed = try await stage.get()
        #expect(stage.loader.loads.map(\.validators.entityTag) == [nil, "\"1\""])
        #expect(confirmed.origin == (inMemory ? .memory : .disk))
        #expect(!confirmed.isStale)
        #expect(confirmed.metadata.storedAt == 1061)
        stage.pass(59)
        #expect(try await stage.get().origin == .memory)
        stage.cache.clearMemory()
        #expect(try await stage.get().origin == .disk)
        #expect(stage.loader.loads.count == 2)
    }

    @Test func aStalePictureThatChangedIsReplaced() async throws {
        let stage = Stage()
        stage.serve(Stage.old, ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        _ = try await stage.get()
        stage.pass(61)
        stage.serve(Stage.new, ["ETag": "\"2\"", "Cache-Control": "max-age=60"])
        let result = try await stage.get()
        #expect(result.origin == .loader)
        #expect(stage.pixel(result) == 2)
        stage.cache.clearMemory()
        #expect(stage.pixel(try await stage.get()) == 2)
        #expect(stage.loader.loads.count == 2)
    }

    @Test func theSameBytesAgainCountAsNotModified() async throws {
        let stage = Stage()
        stage.serve(Stage.old, ["Cache-Control": "max-age=60"])
        _ = try await stage.get()
        stage.pass(61)
        stage.cache.clearMemory()
        #expect(try await stage.get().origin == .disk)
        #expect(stage.loader.loads.count == 2)
        #expect(stage.cache.counts.stores == 1)
        stage.pass(59)
        #expect(try await stage.get().origin == .memory)
    }

    @Test func aStalePictureServesWhenAskingFailsOnlyWhereTheServerAllowsIt() async throws {
        for (control, serves) in [("max-age=60, stale-if-error=600", true), ("max-age=60", false)] {
            let stage = Stage()
            stage.serve(Stage.old, ["ETag": "\"1\"", "Cache-Control": control])
            _ = try await stage.get()
            stage.pass(61)
            stage.loader.answer(stage.url, .failure(ImageError(.network, stage: .load, "Down.")))
            if serves {
                let result = try await stage.get()
                #expect(result.isStale)
                #expect(result.refreshFailure?.code == .network)
            } else {
                let error = await #expect(throws: ImageError.self) { try await stage.get() }
                #expect(error?.code == .network)
            }
        }
    }

    @Test func whileRevalidatingTheStalePictureIsGivenAtOnceAndOneRefreshGoesOnBehind() async throws {
        let stage = Stage()
        stage.serve(Stage.old, ["ETag": "\"1\"", "Cache-Control": "max-age=60, stale-while-revalidate=600"])
        _ = try await stage.get()
        stage.pass(61)
        stage.serve(Stage.new, ["ETag": "\"2\"", "Cache-Control": "max-age=60"])
        stage.loader.gate.close()
        for _ in 0..<10 {
            let result = try await stage.manager.image(for: ImageRequest(stage.url))
            #expect(result.isStale)
            #expect(stage.pixel(result) == 1)
        }
        await stage.loader.gate.waitForArrivals(2)
        stage.loader.gate.open()
        await stage.manager.drain()
        #expect(stage.loader.loads.count == 2)
        let fresh = try await stage.get()
        #expect(!fresh.isStale)
        #expect(stage.pixel(fresh) == 2)
        #expect(stage.loader.loads.count == 2)
    }

    @Test func aRefreshThatFailedIsTriedAgainByTheNextHit() async throws {
        let stage = Stage()
        let control = HTTPHeaders(
            dictionaryLiteral: ("Cache-Control", "max-age=60, stale-while-revalidate=600"))
        stage.serve(Stage.old, control)
        _ = try await stage.get()
        stage.pass(61)
        stage.loader.answer(stage.url, .failure(ImageError(.network, stage: .load, "Down.")))
        for loads in 2...4 {
            #expect(try await stage.get().isStale)
            #expect(stage.loader.loads.count == loads)
        }
        stage.serve(Stage.new, control)
        #expect(try await stage.get().isStale)
        #expect(stage.pixel(try await stage.get()) == 2)
        #expect(stage.loader.loads.count == 5)
    }

    @Test func whatMayNotBeStoredIsHandedOverAndForgotten() async throws {
        let stage = Stage()
        stage.serve(Stage.old, ["Cache-Control": "no-store"])
        #expect(stage.pixel(try await stage.get()) == 1)
        #expect(stage.cache.storedKeys.isEmpty)
        #expect(stage.manager.cachedImage(for: ImageRequest(stage.url)) == nil)
    }

    @Test func anAnswerThatMayNotBeStoredRemovesTheOldOne() async throws {
        let stage = Stage()
        stage.serve(Stage.old, ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        _ = try await stage.get()
        stage.pass(61)
        stage.serve(Stage.new, ["Cache-Control": "no-store"])
        #expect(stage.pixel(try await stage.get()) == 2)
        await stage.manager.drain()
        #expect(stage.cache.storedKeys.isEmpty)
        #expect(stage.cache.memoryEntry(for: ImageRequest(stage.url).key) == nil)
    }

    @Test func refreshCachedShowsTheCachedPictureAndGivesTheRefreshedOne() async throws {
        let stage = Stage(.immutable)
        stage.serve(Stage.old, ["ETag": "\"1\""])
        _ = try await stage.get()
        stage.serve(Stage.new, ["ETag": "\"2\""])
        stage.loader.gate.close()
        let task = stage.manager.task(for: ImageRequest(stage.url, options: .refreshCached))
        var events = task.events.makeAsyncIterator()
        guard case .cached(let cached)? = await events.next() else {
            Issue.record("The first event is not the cached picture.")
            return
        }
        #expect(stage.pixel(cached) == 1)
        let joiner = stage.manager.task(for: ImageRequest(stage.url, options: .refreshCached))
        var late = joiner.events.makeAsyncIterator()
        guard case .cached? = await late.next() else {
            Issue.record("Who joins later does not see the cached picture.")
            return
        }
        stage.loader.gate.open()
        #expect(stage.pixel(try await task.result()) == 2)
        #expect(stage.pixel(try await joiner.result()) == 2)
    }

    @Test func refreshCachedGivesTheCachedPictureMarkedWhenAskingFails() async throws {
        let stage = Stage(.immutable)
        stage.serve(Stage.old, ["ETag": "\"1\""])
        _ = try await stage.get()
        stage.loader.answer(stage.url, .bytes(Data("<html>".utf8)))
        let result = try await stage.get(.refreshCached)
        #expect(result.isStale)
        #expect(result.refreshFailure?.code == .notAnImage)
        // The URL is blocked now; what is cached is given all the same.
        #expect(try await stage.get(.refreshCached).refreshFailure?.code == .blocked)
        #expect(try await stage.get().isStale == false)
    }

    @Test func fromCacheOnlyWinsOverRefreshCached() async throws {
        let stage = Stage(.immutable)
        stage.serve(Stage.old, ["ETag": "\"1\""])
        _ = try await stage.get()
        let result = try await stage.get([.refreshCached, .fromCacheOnly])
        #expect(result.isStale)
        #expect(stage.loader.loads.count == 1)
    }

    @Test func aThumbnailIsConfirmedWithoutLoadingItsOriginalAgain() async throws {
        let stage = Stage()
        let small: ImageContext = [.set(.thumbnailSize, PixelSize(width: 2, height: 2))]
        stage.serve(Stage.old, ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        _ = try await stage.get([], small)
        stage.pass(61)
        stage.cache.clearMemory()
        let confirmed = try await stage.get([], small)
        #expect(confirmed.origin == .disk)
        #expect(confirmed.image.size.width == 2)
        // The original learnt of it too.
        #expect(try await stage.get().origin == .disk)
        #expect(stage.loader.loads.count == 2)
    }

    @Test func anotherVariantIsLoadedAndNotMixedUp() async throws {
        let stage = Stage()
        stage.serve(Stage.old, ["Cache-Control": "max-age=60", "Vary": "X-Theme"])
        _ = try await stage.get([], [.set(.requestHeaders, ["X-Theme": "dark"])])
        #expect(try await stage.get([], [.set(.requestHeaders, ["X-Theme": "dark"])]).origin == .memory)
        stage.serve(Stage.new, ["Cache-Control": "max-age=60", "Vary": "X-Theme"])
        let light = try await stage.get([], [.set(.requestHeaders, ["X-Theme": "light"])])
        #expect(stage.pixel(light) == 2)
        #expect(stage.loader.loads.last?.validators.isEmpty == true)
    }
}
