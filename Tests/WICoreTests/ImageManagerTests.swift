// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

@Suite(.timeLimit(.minutes(5))) struct ImageManagerTests {
    @Test func aPictureComesFromTheLoaderThenFromMemoryThenFromDisk() async throws {
        let stage = ManagerStage()
        let first = try await stage.manager.image(for: ImageRequest(stage.url))
        #expect(first.origin == .loader)
        #expect(first.image.size == PixelSize(width: 4, height: 3))
        #expect(first.data == ToyCoder.file())
        #expect(first.metadata.validators.entityTag == "\"1\"")
        await stage.manager.drain()
        #expect(try await stage.manager.image(for: ImageRequest(stage.url)).origin == .memory)
        stage.cache.clearMemory()
        #expect(try await stage.manager.image(for: ImageRequest(stage.url)).origin == .disk)
        #expect(stage.loader.loads.count == 1)
        #expect(stage.cache.counts.stores == 1)
    }

    @Test func aThousandRequestsForOneColdURLLoadAndDecodeOnce() async throws {
        let stage = ManagerStage(isOpen: false)
        let tasks = (0..<1000).map { _ in stage.manager.task(for: ImageRequest(stage.url)) }
        await stage.loader.gate.waitForArrivals(1)
        stage.loader.gate.open()
        for task in tasks { _ = try await task.result() }
        #expect(stage.loader.loads.count == 1)
        #expect(stage.coder.decodeCount == 1)
    }

    @Test func differentTargetsOfOneURLShareTheLoadAndNotTheDecode() async throws {
        let stage = ManagerStage(isOpen: false)
        // Straight to the loader, so that all three have joined the load when it is let go.
        let plain = stage.manager.task(for: ImageRequest(stage.url, options: .fromLoaderOnly))
        let small = stage.manager.task(
            for: ImageRequest(
                stage.url, options: .fromLoaderOnly,
                context: [.set(.thumbnailSize, PixelSize(width: 2, height: 2))]))
        let painted = stage.manager.task(
            for: ImageRequest(
                stage.url, options: .fromLoaderOnly, context: [.set(.transformer, Paint(value: 7))]))
        await stage.loader.gate.waitForArrivals(1)
        stage.loader.gate.open()
        #expect(try await plain.result().image.size == PixelSize(width: 4, height: 3))
        #expect(try await small.result().image.size == PixelSize(width: 2, height: 2))
        #expect(stage.pixel(try await painted.result()) == 7)
        #expect(try await small.result().data == nil)
        #expect(stage.loader.loads.count == 1)
        #expect(stage.coder.decodeCount == 3)
    }

    @Test func aRequestThatComesBeforeTheOriginalIsStoredDoesNotLoadAgain() async throws {
        let gate = Gate()
        let stage = ManagerStage(storeGate: gate)
        _ = try await stage.manager.image(for: ImageRequest(stage.url))
        await gate.waitForArrivals(1)
        let painted = ImageRequest(stage.url, context: [.set(.transformer, Paint(value: 7))])
        #expect(stage.pixel(try await stage.manager.image(for: painted)) == 7)
        gate.open()
        await stage.manager.drain()
        #expect(stage.loader.loads.count == 1)
    }

    @Test func aDerivedPictureIsStoredUnderItsOwnKeyAndItsOriginalUnderThePlainOne() async throws {
        let stage = ManagerStage()
        let request = ImageRequest(stage.url, context: [.set(.transformer, Paint(value: 7))])
        _ = try await stage.manager.image(for: request)
        await stage.manager.drain()
        #expect(stage.cache.storedKeys == [request.key, request.originalKey])
        stage.cache.clearMemory()
        let again = try await stage.manager.image(for: request)
        #expect(again.origin == .disk)
        #expect(stage.pixel(again) == 7)
        let other = ImageRequest(stage.url, context: [.set(.transformer, Paint(value: 8))])
        let fromOriginal = try await stage.manager.image(for: other)
        #expect(fromOriginal.origin == .disk)
        #expect(stage.pixel(fromOriginal) == 8)
        #expect(stage.loader.loads.count == 1)
    }

    @Test func cancellingOneOfTwoLeavesTheOtherItsPicture() async throws {
        let stage = ManagerStage(isOpen: false)
        let first = stage.manager.task(for: ImageRequest(stage.url))
        let second = stage.manager.task(for: ImageRequest(stage.url))
        await stage.loader.gate.waitForArrivals(1)
        first.cancel()
        await #expect(throws: ImageError.self) { try await first.result() }
        stage.loader.gate.open()
        #expect(try await second.result().origin == .loader)
        #expect(stage.loader.cancelledCount == 0)
    }

    @Test func cancellingTheLastEndsTheLoad() async throws {
        let stage = ManagerStage(isOpen: false)
        let task = stage.manager.task(for: ImageRequest(stage.url))
        await stage.loader.gate.waitForArrivals(1)
        task.cancel()
        let error = await #expect(throws: ImageError.self) { try await task.result() }
        #expect(error?.code == .cancelled)
        await stage.manager.drain()
        #expect(!stage.manager.isRunning)
    }

    @Test func cancellingTheCallersTaskAnswersWhileTheLoaderHangs() async throws {
        let stage = ManagerStage(isOpen: false)
        let task = Task { try await stage.manager.image(for: ImageRequest(stage.url)) }
        await stage.loader.gate.waitForArrivals(1)
        task.cancel()
        let error = await #expect(throws: ImageError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func aFailedURLIsNotAskedAgainUntilItsTimeIsOver() async throws {
        let clock = NowBox()
        let stage = ManagerStage { configuration in
            configuration.time = TimeSource(secondsSince1970: { 0 }, monotonic: { clock.value })
        }
        let missing = "http://host/missing.toy"
        let codes = [ImageError.Code.httpStatus, .blocked]
        for code in codes {
            let error = await #expect(throws: ImageError.self) {
                try await stage.manager.image(for: ImageRequest(missing))
            }
            #expect(error?.code == code)
        }
        #expect(stage.loader.loads.count == 1)
        await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(missing, options: .retryFailed))
        }
        #expect(stage.loader.loads.count == 2)
        clock.value = .seconds(61)
        await #expect(throws: ImageError.self) { try await stage.manager.image(for: ImageRequest(missing)) }
        #expect(stage.loader.loads.count == 3)
    }

    @Test func aMissUnderFromCacheOnlyIsAnErrorAndAsksNoLoader() async {
        let stage = ManagerStage()
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(stage.url, options: .fromCacheOnly))
        }
        #expect(error?.code == .cacheMiss)
        #expect(stage.loader.loads.isEmpty)
    }

    @Test(arguments: [
        ("", ImageError.Code.invalidURL), ("no url at all", .invalidURL), ("http:///x.png", .invalidURL),
        ("ftp://host/x.png", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
    ])
    func anUnusableURLIsATypedError(_ text: String, _ code: ImageError.Code) async {
        let stage = ManagerStage()
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(text))
        }
        #expect(error?.code == code)
        #expect(!(error?.message.isEmpty ?? true))
    }

    @Test func whatIsNoPictureIsRefusedFromItsFirstBytes() async {
        let stage = ManagerStage()
        let html = Array(repeating: Data("<html><body>no picture</body></html>".utf8), count: 100)
        stage.loader.answer("http://host/page", .chunks(html))
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest("http://host/page"))
        }
        #expect(error?.code == .notAnImage)
        stage.loader.answer("http://host/empty", .bytes(Data()))
        let empty = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest("http://host/empty"))
        }
        #expect(empty?.code == .emptyData)
    }

    @Test func aKnownFormatWithoutACoderIsNamed() async {
        let stage = ManagerStage()
        stage.loader.answer("http://host/x", .bytes(Data("GIF89a".utf8 + Array(repeating: 0, count: 20))))
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest("http://host/x"))
        }
        #expect(error?.code == .unsupportedFormat)
        #expect(error?.message.contains("gif") == true)
    }

    @Test func whatALoaderThrowsIsWrappedOnce() async {
        let stage = ManagerStage()
        stage.loader.answer("http://host/x", .foreignFailure)
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest("http://host/x"))
        }
        #expect(error?.code == .pluginFailed)
        #expect(error?.url == "http://host/x")
        #expect(error?.underlying?.contains("ForeignError") == true)
    }

    @Test func aFailingTransformerIsAnErrorAndNothingIsStored() async {
        let stage = ManagerStage()
        let broken = Paint(value: 1, error: ImageError(.transformFailed, stage: .transform, "Broken."))
        let request = ImageRequest(stage.url, context: [.set(.transformer, broken)])
        let error = await #expect(throws: ImageError.self) { try await stage.manager.image(for: request) }
        #expect(error?.code == .transformFailed)
        await stage.manager.drain()
        #expect(stage.cache.storedKeys.isEmpty)
        #expect(stage.cache.memoryEntry(for: request.key) == nil)
    }

    @Test func aCacheThatCannotStoreDoesNotSpoilTheLoad() async throws {
        let stage = ManagerStage()
        let delegate = RecordingDelegate()
        stage.manager.setDelegate(delegate)
        stage.cache.fail(ImageError(.cacheWrite, stage: .store, "The disk is full."))
        let result = try await stage.manager.image(for: ImageRequest(stage.url, options: .waitStoreCache))
        #expect(result.origin == .loader)
        #expect(delegate.failures.map(\.code) == [.cacheWrite, .cacheWrite])
    }

    @Test func aVetoIsAnErrorOfItsOwn() async {
        let stage = ManagerStage()
        let delegate = RecordingDelegate(allows: false)
        stage.manager.setDelegate(delegate)
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(stage.url))
        }
        #expect(error?.code == .vetoed)
        #expect(stage.loader.loads.isEmpty)
    }

    @Test func aDamagedCachedEntryIsRemovedAndThePictureLoadedAgain() async throws {
        let stage = ManagerStage()
        let request = ImageRequest(stage.url)
        let damaged = NewEntry(data: Data("TOY1".utf8), metadata: EntryMetadata(storedAt: 0))
        try await stage.cache.store(damaged, for: request.key, in: .disk)
        let result = try await stage.manager.image(for: request)
        #expect(result.origin == .loader)
    }

    @Test func shutdownDrainsStoresAndRefusesWhatComesAfter() async throws {
        let gate = Gate()
        let stage = ManagerStage(storeGate: gate)
        _ = try await stage.manager.image(for: ImageRequest(stage.url))
        await gate.waitForArrivals(1)
        let end = Task { await stage.manager.shutdown() }
        gate.open()
        await end.value
        #expect(stage.cache.storedKeys.count == 1)
        stage.cache.clearMemory()
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(stage.url))
        }
        #expect(error?.code == .shutDown)
    }

    @Test func shutdownEndsRunningRequests() async throws {
        let stage = ManagerStage(isOpen: false)
        let task = stage.manager.task(for: ImageRequest(stage.url))
        await stage.loader.gate.waitForArrivals(1)
        await stage.manager.shutdown()
        let error = await #expect(throws: ImageError.self) { try await task.result() }
        #expect(error?.code == .shutDown)
    }

    @Test func aRequestWithCredentialsIsKeptOnlyUnderAPartition() async throws {
        let stage = ManagerStage()
        let headers: HTTPHeaders = ["Authorization": "Bearer secret"]
        let request = ImageRequest(stage.url, context: [.set(.requestHeaders, headers)])
        _ = try await stage.manager.image(for: request)
        await stage.manager.drain()
        #expect(stage.cache.storedKeys.isEmpty)
        #expect(stage.manager.cachedImage(for: request) == nil)
        let own = ImageRequest(
            stage.url, context: [.set(.requestHeaders, headers), .set(.cachePartition, "user 1")])
        _ = try await stage.manager.image(for: own)
        await stage.manager.drain()
        #expect(stage.cache.storedKeys == [own.key])
        #expect(own.key != ImageRequest(stage.url).key)
    }

    @Test func everyReaderOfEventsSeesTheEnd() async throws {
        let stage = ManagerStage(isOpen: false)
        stage.loader.answer(stage.url, .chunks([ToyCoder.file()]))
        let task = stage.manager.task(for: ImageRequest(stage.url))
        await stage.loader.gate.waitForArrivals(1)
        let early = task.events
        stage.loader.gate.open()
        _ = try await task.result()
        for events in [early, task.events] {
            var last: ImageTask.Event?
            for await event in events { last = event }
            guard case .finished(.success(let result))? = last else {
                Issue.record("The last event is \(String(describing: last)).")
                continue
            }
            #expect(result.image.size.width == 4)
        }
    }

    @Test func raisingOneRequestRaisesTheSharedLoad() async throws {
        let stage = ManagerStage(isOpen: false)
        let task = stage.manager.task(for: ImageRequest(stage.url, options: .lowPriority))
        await stage.loader.gate.waitForArrivals(1)
        #expect(stage.loader.loads.first?.priority == .low)
        task.priority = .high
        #expect(stage.loader.priorities == [.high])
        stage.loader.gate.open()
        _ = try await task.result()
    }

    @Test func aDefaultTransformerAppliesUnlessARequestSuppressesIt() async throws {
        let stage = ManagerStage { $0.defaultContext[.transformer] = Paint(value: 9) }
        #expect(stage.pixel(try await stage.manager.image(for: ImageRequest(stage.url))) == 9)
        let plain = ImageRequest(stage.url, context: [.suppress(.transformer)])
        #expect(stage.pixel(try await stage.manager.image(for: plain)) == 10)
        let prepared = stage.manager.prepare(ImageRequest(stage.url))
        #expect(stage.manager.cachedImage(for: prepared)?.origin == .memory)
    }

    @Test func dataAndFilesAreDecodedWithoutALoader() async throws {
        let stage = ManagerStage()
        let named = try await stage.manager.image(for: ImageRequest(data: ToyCoder.file(), name: "logo"))
        #expect(named.origin == .data)
        #expect(stage.manager.cachedImage(for: ImageRequest(data: Data(), name: "logo")) != nil)
        let missing = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(file: "/nowhere/x.toy"))
        }
        #expect(missing?.code == .fileNotFound)
        #expect(stage.loader.loads.isEmpty)
    }
}
