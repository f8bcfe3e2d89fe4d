// SPDX-License-Identifier: MIT
import Dispatch
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

@Suite(.timeLimit(.minutes(5))) struct ManagerStressTests {
    private final class Weak: Sendable {
        private weak let task: ImageTask?
        init(_ task: ImageTask) { self.task = task }
        var isGone: Bool { task == nil }
    }

    @Test func tenThousandMixedRequestsLeaveNothingBehind() async throws {
        let stage = ManagerStage()
        for number in 0..<50 { stage.loader.answer("http://host/\(number).toy", .bytes(ToyCoder.file())) }
        var generator = SeededGenerator(seed: 7)
        var handles: [Weak] = []
        for round in 0..<100 {
            var tasks: [ImageTask] = []
            for _ in 0..<100 { tasks.append(begin(stage, &generator)) }
            for task in tasks where Bool.random(using: &generator) { task.cancel() }
            for task in tasks { _ = try? await task.result() }
            if round % 10 == 0 { stage.cache.clearMemory() }
            handles += tasks.map(Weak.init)
        }
        await stage.manager.drain()
        #expect(!stage.manager.isRunning)
        await stage.manager.shutdown()
        #expect(handles.count == 10_000)
        await stage.manager.drainLoads()
        #expect(handles.allSatisfy { $0.isGone })
    }

    /// One of the ways to ask, chosen by chance.
    private func begin(_ stage: ManagerStage, _ generator: inout SeededGenerator) -> ImageTask {
        // Those from 50 on are not there.
        let url = "http://host/\(Int.random(in: 0..<60, using: &generator)).toy"
        let options = [
            ImageOptions(), .fromLoaderOnly, .refreshCached, .retryFailed, .waitStoreCache, .progressiveLoad,
        ]
        var context = ImageContext()
        if Bool.random(using: &generator) { context[.transformer] = Paint(value: 3) }
        if Bool.random(using: &generator) { context[.thumbnailSize] = PixelSize(width: 2, height: 2) }
        let request = ImageRequest(
            url, options: options[Int.random(in: 0..<options.count, using: &generator)], context: context)
        return stage.manager.task(for: request)
    }

    /// There is a pool of the cooperative threads for each priority: all of one but one are taken, each in turn.
    @Test(arguments: [TaskPriority.high, .medium, .low, .background])
    func nothingOfOursBlocksTheCooperativePool(_ priority: TaskPriority) async throws {
        let release = DispatchSemaphore(value: 0)
        let parked = max(0, WorkPool.processorCount - 1)
        for _ in 0..<parked { Task.detached(priority: priority) { Self.park(release) } }
        defer { for _ in 0..<parked { release.signal() } }
        let stage = ManagerStage()
        let manager = stage.manager
        for number in 0..<20 { stage.loader.answer("http://host/\(number).toy", .bytes(ToyCoder.file())) }
        let origins = try await Task.detached(priority: priority) {
            try await withThrowingTaskGroup(of: ImageResult.Origin.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        try await manager.image(for: ImageRequest("http://host/\(number % 20).toy")).origin
                    }
                }
                return try await group.reduce(into: 0) { count, _ in count += 1 }
            }
        }.value
        #expect(origins == 100)
        await manager.shutdown()
    }

    private static func park(_ release: DispatchSemaphore) { release.wait() }

    @Test func aTransformerMayReturnAnotherSize() async throws {
        let stage = ManagerStage()
        let request = ImageRequest(stage.url, context: [.set(.transformer, Halving())])
        #expect(try await stage.manager.image(for: request).image.size == PixelSize(width: 2, height: 1))
        await stage.manager.drain()
        stage.cache.clearMemory()
        #expect(try await stage.manager.image(for: request).image.size == PixelSize(width: 2, height: 1))
    }

    @Test func aLoaderThatBeginsTwiceGivesTheLastBody() async throws {
        let stage = ManagerStage()
        let request = ImageRequest(stage.url, context: [.set(.imageLoader, TwiceLoader())])
        #expect(stage.pixel(try await stage.manager.image(for: request)) == 2)
    }
}

private struct Halving: Transformer {
    var keyPart: KeyPart { KeyPart("half", "1") }
    func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try MutablePixels(width: pixels.width / 2, height: pixels.height / 2).publish()
    }
}

private final class TwiceLoader: ImageLoading {
    func canLoad(_ request: LoadRequest) -> Bool { true }
    func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        for color in [UInt8(1), 2] {
            try body.begin(ResponseHead(status: 200))
            try await body.append(ToyCoder.file(color: [color, color, color, 255]))
        }
        return .streamed
    }
}
