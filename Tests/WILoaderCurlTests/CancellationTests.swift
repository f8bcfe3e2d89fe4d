// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// Loads that nobody wants any more, and loaders that go.
@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    private let fixture: LoaderFixture

    init() throws { fixture = try LoaderFixture() }

    private var server: ScriptedServer { fixture.server }

    private func code(of task: Task<(data: Data, head: ResponseHead?), any Error>) async -> ImageError.Code? {
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        return error?.code
    }

    @Test func cancellingAHangingLoadAnswersAtOnceAndClosesTheConnection() async {
        server.on("/hang", .hang)
        let task = Task { try await fixture.body("/hang") }
        await server.waitForRequest("/hang")
        task.cancel()
        #expect(await code(of: task) == .cancelled)
        await server.waitForAbandonment("/hang")
        #expect(server.abandonedCount("/hang") == 1)
    }

    @Test func aTaskThatIsCancelledBeforeItLoadsAsksNobody() async throws {
        server.on("/a", .ok(fixture.picture))
        let gate = Gate()
        let task = Task {
            await gate.pass()
            return try await fixture.body("/a")
        }
        task.cancel()
        #expect(await code(of: task) == .cancelled)
        server.on("/b", .ok(fixture.picture))
        _ = try await fixture.body("/b")
        #expect(server.count("/a") == 0)
    }

    @Test func aCancelledLoadThatWaitsForItsTurnNeverReachesTheServer() async throws {
        let one = try LoaderFixture { $0.maximumTransfers = 1 }
        one.server.on("/first", Script.ok(one.picture).gated(beforeHead: "go"))
        one.server.on("/second", .ok(one.picture))
        let first = Task { try await one.body("/first") }
        await one.server.waitForRequest("/first")
        let second = Task.immediate { try await one.body("/second") }
        second.cancel()
        #expect(await code(of: second) == .cancelled)
        one.server.release("go")
        _ = try await first.value
        one.server.on("/third", .ok(one.picture))
        _ = try await one.body("/third")
        #expect(one.server.count("/second") == 0)
    }

    @Test func aCancelledLoadMakesRoomForTheNext() async throws {
        let one = try LoaderFixture { $0.maximumTransfers = 1 }
        one.server.on("/hang", .hang)
        one.server.on("/next", .ok(one.picture))
        let first = Task { try await one.body("/hang") }
        await one.server.waitForRequest("/hang")
        let second = Task.immediate { try await one.body("/next") }
        first.cancel()
        #expect(try await second.value.data.count == one.picture.count)
    }

    @Test func aThousandLoadsCancelledAtAnyMomentEndOnceEach() async throws {
        server.on("/a", Script.ok(fixture.picture).chunked(1000))
        var random = SeededGenerator(seed: 7)
        var loads: [(task: Task<(data: Data, head: ResponseHead?), any Error>, isCancelled: Bool)] = []
        for _ in 0..<1000 {
            let isCancelled = Bool.random(using: &random)
            loads.append((Task { try await fixture.body("/a") }, isCancelled))
            let victim = loads[Int.random(in: max(0, loads.count - 20)..<loads.count, using: &random)]
            if victim.isCancelled { victim.task.cancel() }
            if Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
        }
        for load in loads where load.isCancelled { load.task.cancel() }
        for load in loads {
            do {
                #expect(try await load.task.value.data.count == fixture.picture.count)
            } catch let error as ImageError {
                #expect(error.code == .cancelled)
                #expect(load.isCancelled)
            }
        }
        // The loader is as good as before.
        #expect(try await fixture.body("/a").data.count == fixture.picture.count)
    }

    @Test func whoeverHoldsTheSinkCanEndTheLoad() async throws {
        server.on("/slow", Script.ok(fixture.picture).gated("go", afterBody: 2000))
        let arrived = Gate()
        let sink = BodySink(
            url: nil, limit: .unlimited, budget: BodyBudget(capacity: .unlimited),
            judge: { (_, _) throws(ImageError) in true },
            onProgress: { _, _ in Task { await arrived.pass() } })
        let task = Task { try await fixture.loader.load(fixture.request("/slow"), into: sink) }
        await arrived.waitForArrivals(1)
        sink.cancel(ImageError(.vetoed, stage: .load, "Enough."))
        server.release("go")
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .vetoed)
        arrived.open()
    }

    @Test func shuttingDownEndsRunningAndWaitingLoadsAndRefusesLaterOnes() async throws {
        server.on("/hang", .hang)
        let tasks = (0..<20).map { _ in Task.immediate { try await fixture.body("/hang") } }
        await server.waitForRequest("/hang", count: 6)
        await fixture.loader.shutdown()
        for task in tasks { #expect(await code(of: task) == .shutDown) }
        #expect(server.count("/hang") == 6)
        await server.waitForAbandonment("/hang", count: 6)
        let later = await fixture.failure("/hang")
        #expect(later?.code == .shutDown)
        #expect(later?.url != nil)
        await fixture.loader.shutdown()
    }

    @Test func aLoaderThatWasNeverUsedShutsDown() async {
        await fixture.loader.shutdown()
        #expect(await fixture.failure("/a")?.code == .shutDown)
    }

    @Test func severalMayWaitForTheShutdown() async throws {
        server.on("/a", .ok(fixture.picture))
        _ = try await fixture.body("/a")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await fixture.loader.shutdown() } }
        }
        #expect(await fixture.failure("/a")?.code == .shutDown)
    }
}
