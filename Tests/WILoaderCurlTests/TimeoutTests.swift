// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// What happens when nothing comes, by the real clock (briefly) and by one that is moved by hand.
@Suite(.timeLimit(.minutes(5))) struct TimeoutTests {
    private let server: ScriptedServer
    private let clock = ManualClock()
    private let picture = [UInt8](repeating: 9, count: 5000)

    init() throws { server = try ScriptedServer() }

    private func manualLoader(
        _ change: (inout CurlLoaderConfiguration) -> Void = { _ in }
    ) -> CurlLoader {
        var configuration = CurlLoaderConfiguration()
        change(&configuration)
        let clock = clock
        return CurlLoader(
            configuration: configuration,
            time: TimeSource(secondsSince1970: { 0 }, monotonic: { clock.now.offset }))
    }

    private func request(_ path: String) -> LoadRequest { LoadRequest(url: server.url(path)) }

    /// The loader looks at its clock when something happens; this makes something happen.
    private func nudge(_ loader: CurlLoader) async throws {
        server.on("/nudge", .ok(picture))
        _ = try await loader.load(request("/nudge"), into: BodySink())
    }

    @Test func aServerThatNeverAnswersTimesOut() async {
        server.on("/hang", .hang)
        for change: @Sendable (inout LoadRequest) -> Void in [
            { $0.inactivityTimeout = .milliseconds(150) }, { $0.totalTimeout = .milliseconds(150) },
        ] {
            var request = request("/hang")
            change(&request)
            let error = await #expect(throws: ImageError.self) {
                _ = try await CurlLoader().load(request, into: BodySink())
            }
            #expect(error?.code == .timeout)
            #expect(error?.isRetryable == true)
            #expect(error?.message.contains("0.15 seconds") == true)
        }
    }

    @Test func theDefaultIsFifteenSecondsWithoutAByte() async throws {
        let loader = manualLoader()
        server.on("/hang", .hang)
        let task = Task { try await loader.load(request("/hang"), into: BodySink()) }
        await server.waitForRequest("/hang")
        clock.advance(by: .seconds(14))
        try await nudge(loader)
        #expect(server.abandonedCount("/hang") == 0)
        clock.advance(by: .seconds(1.5))
        try await nudge(loader)
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .timeout)
    }

    /// A byte now and then is no silence; what limits that is the least speed.
    @Test func aServerThatDripsGivesItsPlaceToTheNext() async throws {
        let loader = manualLoader {
            $0.maximumTransfers = 1
            $0.lowSpeedLimit = LowSpeedLimit(1000, per: .seconds(30))
        }
        let drips = (1...5).flatMap { [Script.Step.body(1), .gate("\($0)")] }
        server.on("/drip", Script(body: picture, steps: [.head] + drips + [.body(nil)]))
        server.on("/next", .ok(picture))
        let arrived = Gate()
        let sink = BodySink(
            url: nil, limit: .unlimited, budget: BodyBudget(capacity: .unlimited),
            judge: { (_, _) throws(ImageError) in true },
            onProgress: { _, _ in Task { await arrived.pass() } })
        let request = request("/next")
        let dripping = Task { try await loader.load(self.request("/drip"), into: sink) }
        await arrived.waitForArrivals(1)
        let next = Task.immediate { try await loader.load(request, into: BodySink()) }
        for number in 1...3 {
            clock.advance(by: .seconds(9))
            server.release("\(number)")
            await arrived.waitForArrivals(number + 1)
            #expect(server.count("/next") == 0)
        }
        clock.advance(by: .seconds(4))
        server.release("4")
        let error = await #expect(throws: ImageError.self) { _ = try await dripping.value }
        #expect(error?.code == .timeout)
        #expect(error?.message.contains("least speed") == true)
        _ = try await next.value
        arrived.open()
    }

    @Test func anAnswerHasItsOwnTimeToBegin() async throws {
        let loader = manualLoader { $0.firstByteTimeout = .seconds(5) }
        server.on("/hang", .hang)
        let task = Task { try await loader.load(request("/hang"), into: BodySink()) }
        await server.waitForRequest("/hang")
        clock.advance(by: .seconds(4))
        try await nudge(loader)
        #expect(server.abandonedCount("/hang") == 0)
        clock.advance(by: .seconds(1.5))
        try await nudge(loader)
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .timeout)
        #expect(error?.message.contains("5.0 seconds") == true)
    }

    @Test func everyByteStartsTheTimeAnew() async throws {
        let loader = manualLoader()
        let steps: [Script.Step] = [
            .head, .body(1000), .gate("1"), .body(1000), .gate("2"), .body(1000), .gate("3"), .body(nil),
        ]
        server.on("/slow", Script(body: picture, steps: steps))
        let arrived = Gate()
        let sink = BodySink(
            url: nil, limit: .unlimited, budget: BodyBudget(capacity: .unlimited),
            judge: { (_, _) throws(ImageError) in true },
            onProgress: { _, _ in Task { await arrived.pass() } })
        let task = Task { try await loader.load(request("/slow"), into: sink) }
        for number in 1...3 {
            await arrived.waitForArrivals(number)
            clock.advance(by: .seconds(10))
            server.release("\(number)")
        }
        _ = try await task.value
        #expect(try sink.finish().count == picture.count)
        arrived.open()
    }

    @Test func aLoadThatWaitsForItsTurnIsNotSilentButItsTotalTimeRuns() async throws {
        let loader = manualLoader { $0.maximumTransfers = 1 }
        server.on("/first", Script.ok(picture).doing(.head, .body(1), .gate("1"), .body(nil)))
        server.on("/patient", .ok(picture))
        var first = request("/first")
        first.inactivityTimeout = .seconds(1_000_000)
        var hasty = request("/patient")
        hasty.totalTimeout = .seconds(20)
        let patient = request("/patient")
        let running = Task { [first] in try await loader.load(first, into: BodySink()) }
        await server.waitForRequest("/first")
        let waiting = Task.immediate { try await loader.load(patient, into: BodySink()) }
        let impatient = Task.immediate { [hasty] in try await loader.load(hasty, into: BodySink()) }
        clock.advance(by: .seconds(3600))
        // A change of priority of nothing is something that happens.
        loader.setPriority(.high, of: BodySink())
        server.release("1")
        _ = try await running.value
        _ = try await waiting.value
        let error = await #expect(throws: ImageError.self) { _ = try await impatient.value }
        #expect(error?.code == .timeout)
        #expect(server.count("/patient") == 1)
    }

    @Test func absurdTimeoutsAreHeldWithinReason() async throws {
        server.on("/a", .ok(picture))
        var configuration = CurlLoaderConfiguration()
        configuration.connectTimeout = .seconds(Int64.max)
        configuration.inactivityTimeout = .seconds(Int64.max)
        var request = request("/a")
        request.totalTimeout = .seconds(Int64.max)
        _ = try await CurlLoader(configuration: configuration).load(request, into: BodySink())
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == 86_400_000)
        #expect(Duration.seconds(-1).wholeMilliseconds == 0)
        #expect(Duration.nanoseconds(1).wholeMilliseconds == 1)
    }
}
