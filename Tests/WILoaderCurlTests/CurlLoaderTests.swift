// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

#if canImport(Glibc)
import Glibc
#endif

@Suite(.timeLimit(.minutes(1))) struct CurlLoaderTests {
    private let server: ScriptedServer
    private let loader = CurlLoader()
    private let picture = [UInt8]((0..<5000).map { UInt8(truncatingIfNeeded: $0) })

    init() throws { server = try ScriptedServer() }

    private func body(
        _ path: String, _ change: (inout LoadRequest) -> Void = { _ in }
    ) async throws -> (Data, ResponseHead?) {
        var request = LoadRequest(url: server.url(path))
        change(&request)
        let sink = BodySink(limit: request.bodyLimit)
        _ = try await loader.load(request, into: sink)
        return (try sink.finish(), sink.head)
    }

    private func failure(
        _ path: String, _ change: (inout LoadRequest) -> Void = { _ in }
    ) async -> ImageError? {
        await #expect(throws: ImageError.self) { _ = try await body(path, change) }
    }

    @Test func aBodyArrivesAsItWasSent() async throws {
        server.on("/a", .ok(picture, type: "image/png").with("ETag", "\"7\""))
        let (data, head) = try await body("/a")
        #expect([UInt8](data) == picture)
        #expect(head?.status == 200)
        #expect(head?.headers["etag"] == "\"7\"")
        #expect(head?.expectedLength == picture.count)
    }

    @Test func aLargeBodyArrivesWhole() async throws {
        let large = [UInt8](repeating: 7, count: 5 << 20)
        server.on("/large", .ok(large))
        let data = try await body("/large").0
        #expect(data.count == large.count)
    }

    @Test func aChunkedBodyArrivesWhole() async throws {
        server.on("/chunked", Script(body: picture, framing: .chunked(100)))
        #expect([UInt8](try await body("/chunked").0) == picture)
    }

    @Test func anEmptyBodyIsABodyForTheSinkToJudge() async throws {
        server.on("/empty", .ok([]))
        #expect(try await body("/empty").0.isEmpty)
    }

    @Test func redirectsAreFollowedAndTheLastURLIsTold() async throws {
        server.on("/one", .redirect(to: "/two"))
        server.on("/two", .redirect(to: server.baseURL + "/a", status: 301))
        server.on("/a", .ok(picture))
        let (data, head) = try await body("/one")
        #expect(data.count == picture.count)
        #expect(head?.url?.path() == "/a")
    }

    @Test func redirectsWithoutEndEndAtTheLimit() async {
        server.on("/loop", .redirect(to: "/loop"))
        #expect(await failure("/loop")?.code == .redirectLimit)
        #expect(server.count("/loop") == 6)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"])
    func aRedirectToAnotherSchemeIsRefused(_ target: String) async {
        server.on("/away", .redirect(to: target))
        #expect(await failure("/away")?.code == .redirectRefused)
    }

    @Test func credentialsDoNotFollowToAnotherHost() async throws {
        server.on("/start", .redirect(to: "http://localhost:\(server.port)/target"))
        server.on("/target", .ok(picture))
        _ = try await body("/start") { $0.headers = ["Authorization": "Bearer secret", "X-Mine": "1"] }
        let last = try #require(server.requests.last)
        #expect(last.path == "/target")
        #expect(last.header("Authorization") == nil)
        #expect(server.requests.first?.header("Authorization") == "Bearer secret")
    }

    @Test(arguments: [(404, false), (410, false), (429, true), (500, true), (503, true)])
    func aStatusThatIsNoSuccessIsAnError(_ status: Int, _ retry: Bool) async {
        server.on("/status", .failure(status))
        let error = await failure("/status")
        #expect(error?.code == .httpStatus)
        #expect(error?.httpStatus == status)
        #expect(error?.isRetryable == retry)
    }

    @Test func anUnchangedAnswerIsNotModified() async throws {
        server.on("/v", Script.revalidated(picture, type: "image/png", etag: "\"1\""))
        var request = LoadRequest(url: server.url("/v"))
        request.validators.entityTag = "\"1\""
        let result = try await loader.load(request, into: BodySink())
        guard case .notModified(let head) = result else {
            Issue.record("The answer is \(result).")
            return
        }
        #expect(head.status == 304)
    }

    @Test func aCutBodyIsIncomplete() async {
        server.on("/cut", Script.ok(picture).truncated(after: 1000))
        #expect(await failure("/cut")?.code == .incompleteBody)
    }

    @Test func aResetConnectionIsANetworkError() async {
        server.on("/reset", .reset)
        let error = await failure("/reset")
        #expect(error?.code == .network)
        #expect(error?.isRetryable == true)
    }

    @Test func aServerThatNeverAnswersTimesOut() async {
        server.on("/hang", .hang)
        let error = await failure("/hang") { $0.inactivityTimeout = .milliseconds(150) }
        #expect(error?.code == .timeout)
        let total = await failure("/hang") { $0.totalTimeout = .milliseconds(150) }
        #expect(total?.code == .timeout)
    }

    @Test func aPortWithoutAServerIsANetworkError() async {
        let port = server.port
        server.stop()
        var request = LoadRequest(url: server.url("/a"))
        request.inactivityTimeout = .seconds(5)
        let error = await #expect(throws: ImageError.self) {
            _ = try await loader.load(request, into: BodySink())
        }
        #expect(error?.code == .network, "port \(port)")
    }

    @Test func cancellingAHangingLoadAnswersAtOnceAndClosesTheConnection() async {
        server.on("/hang", .hang)
        let task = Task { try await body("/hang") }
        await server.waitForRequest("/hang")
        task.cancel()
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .cancelled)
        await server.waitForEnd("/hang")
        #expect(server.abandonedCount("/hang") == 1)
    }

    @Test func aBodyOverTheLimitIsStopped() async {
        server.on("/big", .ok(picture))
        #expect(await failure("/big") { $0.bodyLimit = 4999 }?.code == .bodyLimit)
        server.on("/liar", Script(body: picture, framing: .untilClose))
        #expect(await failure("/liar") { $0.bodyLimit = 4999 }?.code == .bodyLimit)
    }

    @Test func connectionsAreUsedAgain() async throws {
        server.on("/a", .ok(picture))
        server.on("/missing", .failure(404))
        for _ in 0..<20 { _ = try await body("/a") }
        _ = await failure("/missing")
        _ = try await body("/a")
        #expect(server.connectionCount == 1)
    }

    @Test func noMoreRunAtOnceThanTheCapAllowsAndAllEnd() async throws {
        server.on("/a", .ok(picture))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 { group.addTask { try await body("/a").0.count } }
            for try await count in group { #expect(count == picture.count) }
        }
        #expect(server.count("/a") == 1000)
        #expect(server.maxConcurrentRequests <= 6)
    }

    @Test func aBodyThatMustWaitForMemoryIsPausedAndThenGoesOn() async throws {
        let large = [UInt8](repeating: 3, count: 2 << 20)
        server.on("/large", .ok(large))
        let budget = BodyBudget(capacity: .mebibytes(1))
        func sink() -> BodySink {
            BodySink(
                url: nil, limit: .unlimited, budget: budget, judge: { (_, _) throws(ImageError) in true },
                onProgress: { _, _ in })
        }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let sink = sink()
                    _ = try await loader.load(LoadRequest(url: server.url("/large")), into: sink)
                    return try sink.finish().count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: large.count, count: 4))
        #expect(budget.used == 0)
    }

    @Test func shuttingDownEndsRunningLoadsAndRefusesLaterOnes() async throws {
        server.on("/hang", .hang)
        let task = Task { try await body("/hang") }
        await server.waitForRequest("/hang")
        await loader.shutdown()
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .shutDown)
        #expect(await failure("/hang")?.code == .shutDown)
    }

    @Test func aFieldValueCannotSmuggleAnotherField() async throws {
        server.on("/a", .ok(picture))
        _ = try await body("/a") { $0.headers = ["X-Mine": "1\r\nX-Smuggled: 2", "X-Good": "3"] }
        #expect(server.requests.first?.header("X-Smuggled") == nil)
        #expect(server.requests.first?.header("X-Good") == "3")
    }
}

@Suite struct TransferQueueTests {
    @Test func theMostUrgentGoFirstWithinTheCaps() {
        var queue = TransferQueue(total: 3, perHost: 2)
        queue.add(1, host: "a", .normal)
        queue.add(2, host: "a", .low)
        queue.add(3, host: "a", .high)
        queue.add(4, host: "b", .low)
        let started = queue.start()
        #expect(started == [3, 1, 4])
        queue.remove(3)
        let next = queue.start()
        #expect(next == [2])
        #expect(queue.waitingCount == 0)
    }

    @Test func aWaitingTransferCanBeRaisedAndWithdrawn() {
        var queue = TransferQueue(total: 1, perHost: 1)
        for id in 1...4 { queue.add(UInt64(id), host: "a", .normal) }
        queue.setPriority(.high, of: 3)
        queue.remove(1)
        let first = queue.start()
        #expect(first == [3])
        queue.remove(3)
        let second = queue.start()
        #expect(second == [2])
    }
}
