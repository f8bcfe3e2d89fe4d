// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

/// Several managers over one cache, as several processes are, and turns to fill it.
private struct Fleet {
    let cache = DictionaryCache()
    let loader = GatedLoader()
    let leases: FillLeases
    let managers: [ImageManager]
    let url = "http://host/a.toy"

    init(_ count: Int, isOpen: Bool = true, arrival: Gate = Gate(isOpen: true)) {
        let cache = cache
        leases = FillLeases(arrival: arrival) { cache.storedKeys.contains($0) }
        var configuration = ImageManagerConfiguration()
        configuration.fillLeasing = leases
        if !isOpen { loader.gate.close() }
        loader.answer(url, .bytes(ToyCoder.file()))
        // Memory is each process's own.
        managers = (0..<count).map { [loader] _ in
            ImageManager(
                cache: DiskOf(cache), loader: loader, coder: ToyCoder(), configuration: configuration)
        }
    }

    func shutdown() async { for manager in managers { await manager.shutdown() } }
}

/// The slow level of a cache that others use too.
private final class DiskOf: ImageCaching {
    private let cache: DictionaryCache
    init(_ cache: DictionaryCache) { self.cache = cache }
    func memoryEntry(for key: CacheKey) -> MemoryEntry? { nil }
    func storeInMemory(_ entry: MemoryEntry, for key: CacheKey) {}
    func entry(for key: CacheKey, in levels: CacheLevels) async throws -> StoredEntry? {
        try await cache.entry(for: key, in: levels)
    }
    func store(_ entry: NewEntry, for key: CacheKey, in levels: CacheLevels) async throws {
        try await cache.store(entry, for: key, in: levels)
    }
    func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws {}
    func remove(for key: CacheKey, in levels: CacheLevels) async throws {}
    func contains(_ key: CacheKey, in levels: CacheLevels) async throws -> CacheLevels { [] }
    func clear(_ levels: CacheLevels) async throws {}
}

@Suite(.timeLimit(.minutes(5))) struct FillLeasingTests {
    @Test func oneOfManyProcessesLoadsAndTheOthersFindIt() async throws {
        let fleet = Fleet(8, isOpen: false)
        let tasks = fleet.managers.map { $0.task(for: ImageRequest(fleet.url)) }
        await fleet.leases.arrival.waitForArrivals(8)
        await fleet.loader.gate.waitForArrivals(1)
        fleet.loader.gate.open()
        var origins: [ImageResult.Origin] = []
        for task in tasks { origins.append(try await task.result().origin) }
        #expect(origins.filter { $0 == .loader }.count == 1)
        #expect(origins.filter { $0 == .disk }.count == 7)
        #expect(fleet.loader.loads.count == 1)
        await fleet.shutdown()
        #expect(fleet.leases.held == 0)
        #expect(fleet.leases.released == 1)
        #expect(Set(fleet.leases.asked) == [ImageRequest(fleet.url).originalKey])
    }

    @Test func aTurnIsAskedForOncePerLoadAndNotForWhatACacheHas() async throws {
        let fleet = Fleet(1)
        let manager = fleet.managers[0]
        let small: ImageContext = [.set(.thumbnailSize, PixelSize(width: 2, height: 2))]
        async let picture = manager.image(for: ImageRequest(fleet.url))
        async let thumbnail = manager.image(for: ImageRequest(fleet.url, context: small))
        _ = try await (picture, thumbnail)
        await manager.drain()
        let asked = fleet.leases.asked.count
        #expect(asked == fleet.loader.loads.count)
        #expect(try await manager.image(for: ImageRequest(fleet.url)).origin == .disk)
        #expect(fleet.leases.asked.count == asked)
        #expect(fleet.leases.released == asked)
    }

    @Test(arguments: [ImageOptions.fromLoaderOnly, .refreshCached])
    func whoAsksNoCacheOrHasAPictureAlreadyWaitsForNoTurn(_ options: ImageOptions) async throws {
        let fleet = Fleet(1)
        let manager = fleet.managers[0]
        _ = try await manager.image(for: ImageRequest(fleet.url))
        await manager.drain()
        _ = try await manager.image(for: ImageRequest(fleet.url, options: options))
        #expect(fleet.loader.loads.count == 2)
        #expect(fleet.leases.asked.count == 1)
    }

    @Test func theTurnIsKeptUntilTheStoreIsDone() async throws {
        let store = Gate()
        let cache = DictionaryCache(storeGate: store)
        let leases = FillLeases { cache.storedKeys.contains($0) }
        let stage = ManagerStage { $0.fillLeasing = leases }
        let request = ImageRequest(stage.url, context: [.set(.imageCache, cache)])
        _ = try await stage.manager.image(for: request)
        await store.waitForArrivals(1)
        #expect(leases.held == 1)
        store.open()
        await stage.manager.shutdown()
        #expect(leases.held == 0)
        #expect(leases.released == 1)
    }

    @Test func aFailedLoadGivesTheTurnToTheNext() async throws {
        let fleet = Fleet(3, isOpen: false)
        fleet.loader.answer(fleet.url, .failure(ImageError(.network, stage: .load, "Down.")))
        let tasks = fleet.managers.map { $0.task(for: ImageRequest(fleet.url)) }
        await fleet.leases.arrival.waitForArrivals(3)
        fleet.loader.gate.open()
        for task in tasks { await #expect(throws: ImageError.self) { try await task.result() } }
        #expect(fleet.loader.loads.count == 3)
        await fleet.shutdown()
        #expect(fleet.leases.held == 0)
        #expect(fleet.leases.released == 3)
    }

    @Test(arguments: [true, false])
    func cancellingAndShuttingDownGiveTheTurnBack(_ shutsDown: Bool) async throws {
        let fleet = Fleet(2, isOpen: false)
        let first = fleet.managers[0].task(for: ImageRequest(fleet.url))
        await fleet.loader.gate.waitForArrivals(1)
        let second = fleet.managers[1].task(for: ImageRequest(fleet.url))
        await fleet.leases.arrival.waitForArrivals(2)
        if shutsDown { await fleet.managers[0].shutdown() } else { first.cancel() }
        let error = await #expect(throws: ImageError.self) { try await first.result() }
        #expect(error?.code == (shutsDown ? .shutDown : .cancelled))
        await fleet.loader.gate.waitForArrivals(2)
        fleet.loader.gate.open()
        #expect(try await second.result().origin == .loader)
        await fleet.shutdown()
        #expect(fleet.leases.held == 0)
    }

    @Test func whoIsCancelledWhileWaitingLoadsNothing() async throws {
        let arrival = Gate()
        let fleet = Fleet(1, arrival: arrival)
        let task = fleet.managers[0].task(for: ImageRequest(fleet.url))
        await arrival.waitForArrivals(1)
        task.cancel()
        await #expect(throws: ImageError.self) { try await task.result() }
        await fleet.managers[0].drainLoads()
        await fleet.shutdown()
        #expect(fleet.loader.loads.isEmpty)
        #expect(fleet.leases.held == 0)
    }

    /// The turn comes although nobody wants it any more: it is given back unused.
    @Test func aTurnThatComesTooLateIsGivenBack() async throws {
        let given = Gate(), released = Gate(isOpen: true)
        let stage = ManagerStage { $0.fillLeasing = LateTurn(given: given, released: released) }
        let task = stage.manager.task(for: ImageRequest(stage.url))
        await given.waitForArrivals(1)
        task.cancel()
        await #expect(throws: ImageError.self) { try await task.result() }
        await released.waitForArrivals(1)
        await stage.manager.drainLoads()
        #expect(stage.loader.loads.isEmpty)
    }

    @Test func withoutAnAnswerTheLoadGoesOnAndTheDelegateIsTold() async throws {
        let fleet = Fleet(1)
        let delegate = RecordingDelegate()
        fleet.managers[0].setDelegate(delegate)
        fleet.leases.fail(ImageError(.cacheRead, stage: .query, "Nobody home."))
        #expect(try await fleet.managers[0].image(for: ImageRequest(fleet.url)).origin == .loader)
        #expect(delegate.failures.map(\.code) == [.cacheRead])
    }

    /// What is said to be there and is not is loaded, and no second time waited for.
    @Test func whoLooksAgainInVainLoads() async throws {
        let stage = ManagerStage { $0.fillLeasing = AlwaysFilled() }
        #expect(try await stage.manager.image(for: ImageRequest(stage.url)).origin == .loader)
        #expect(stage.loader.loads.count == 1)
    }
}

private struct AlwaysFilled: FillLeasing {
    func turn(toFill key: CacheKey) async throws -> FillTurn { .lookAgain }
}

private struct LateTurn: FillLeasing {
    let given: Gate
    let released: Gate
    func turn(toFill key: CacheKey) async throws -> FillTurn {
        await given.pass()
        return .load { await released.pass() }
    }
}
