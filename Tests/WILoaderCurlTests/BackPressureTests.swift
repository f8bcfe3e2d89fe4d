// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// Bodies that must wait for memory, and bodies that nobody wants to their end.
@Suite(.timeLimit(.minutes(5))) struct BackPressureTests {
    private let server: ScriptedServer
    private let large = [UInt8](repeating: 3, count: 2 << 20)

    init() throws { server = try ScriptedServer() }

    private func sink(_ budget: BodyBudget, onProgress: @escaping @Sendable (Int) -> Void = { _ in })
        -> BodySink
    {
        BodySink(
            url: nil, limit: .unlimited, budget: budget, judge: { (_, _) throws(ImageError) in true },
            onProgress: { received, _ in onProgress(received) })
    }

    private func request(_ path: String) -> LoadRequest { LoadRequest(url: server.url(path)) }

    @Test func bodiesOverTheBudgetTakeTurnsAndAllArrive() async throws {
        server.on("/large", .ok(large))
        let loader = CurlLoader(configuration: .patient)
        let budget = BodyBudget(capacity: .mebibytes(1))
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let sink = sink(budget)
                    _ = try await loader.load(request("/large"), into: sink)
                    return try sink.finish().count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: large.count, count: 4))
        #expect(budget.used == 0)
    }

    /// One body holds the whole budget; a second one is paused by it.
    private func pausePair(
        _ loader: CurlLoader, _ budget: BodyBudget
    ) async throws -> (holder: BodySink, paused: Task<LoadResult, any Error>, sink: BodySink) {
        server.on("/holder", .ok(large))
        // More than the system's own buffers take.
        server.on("/paused", .ok([UInt8](repeating: 5, count: 16 << 20)))
        let holder = sink(budget)
        _ = try await loader.load(request("/holder"), into: holder)
        let second = sink(budget)
        let task = Task { try await loader.load(request("/paused"), into: second) }
        await server.waitForRequest("/paused")
        await server.waitForBytes("/paused", 64 << 10)
        // Another load after it: by the time that it is done, the loop has seen the first bytes of the second.
        server.on("/other", .failure(404))
        _ = try? await loader.load(request("/other"), into: BodySink())
        return (holder, task, second)
    }

    @Test func aPausedBodyHoldsNothingDoesNotTimeOutAndGoesOnWhenThereIsRoom() async throws {
        let clock = ManualClock()
        let loader = CurlLoader(
            time: TimeSource(secondsSince1970: { 0 }, monotonic: { clock.now.offset }))
        let budget = BodyBudget(capacity: .kibibytes(256))
        let (holder, task, second) = try await pausePair(loader, budget)
        #expect(second.receivedCount == 0)
        clock.advance(by: .seconds(3600))
        _ = try? await loader.load(request("/other"), into: BodySink())
        holder.cancel(.cancelled(.load))
        _ = try await task.value
        #expect(try second.finish().count == 16 << 20)
    }

    @Test func aPausedLoadIsCancelledAtOnce() async throws {
        let loader = CurlLoader(configuration: .patient)
        let (holder, task, second) = try await pausePair(loader, BodyBudget(capacity: .kibibytes(256)))
        task.cancel()
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .cancelled)
        await server.waitForAbandonment("/paused")
        #expect(second.receivedCount == 0)
        #expect(holder.receivedCount == large.count)
    }

    @Test func aPausedLoadWhoseSinkGivesUpEndsAtOnce() async throws {
        let loader = CurlLoader(configuration: .patient)
        let (holder, task, second) = try await pausePair(loader, BodyBudget(capacity: .kibibytes(256)))
        second.cancel(ImageError(.vetoed, stage: .load, "Enough."))
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .vetoed)
        #expect(holder.receivedCount == large.count)
    }

    @Test func aPausedLoadEndsWithTheLoader() async throws {
        let loader = CurlLoader(configuration: .patient)
        let (holder, task, _) = try await pausePair(loader, BodyBudget(capacity: .kibibytes(256)))
        await loader.shutdown()
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .shutDown)
        #expect(holder.receivedCount == large.count)
    }

    @Test func aBodyOverTheLimitIsStopped() async throws {
        let picture = [UInt8](repeating: 1, count: 5000)
        server.on("/stated", .ok(picture))
        server.on("/unstated", Script(body: large, framing: .untilClose))
        for path in ["/stated", "/unstated"] {
            let error = await #expect(throws: ImageError.self) {
                _ = try await CurlLoader(configuration: .patient).load(
                    request(path), into: BodySink(limit: 4999))
            }
            #expect(error?.code == .bodyLimit)
        }
        _ = try await CurlLoader(configuration: .patient).load(
            request("/stated"), into: BodySink(limit: 5000))
    }

    @Test func aBodyThatTheJudgeRefusesIsNotReadToItsEnd() async throws {
        let page = Array("<html>".utf8) + [UInt8](repeating: 32, count: 60 << 20)
        server.on("/page", .ok(page))
        let sink = BodySink(
            url: nil, limit: .unlimited, budget: BodyBudget(capacity: .unlimited),
            judge: { (bytes, _) throws(ImageError) in
                guard bytes.byteCount > 0, bytes.unsafeLoad(as: UInt8.self) == UInt8(ascii: "<") else {
                    return false
                }
                throw ImageError(.notAnImage, stage: .load, "It is a page.")
            }, onProgress: { _, _ in })
        let error = await #expect(throws: ImageError.self) {
            _ = try await CurlLoader(configuration: .patient).load(request("/page"), into: sink)
        }
        #expect(error?.code == .notAnImage)
        await server.waitForEnd("/page")
        #expect(server.bytesSent("/page") < page.count)
    }
}
