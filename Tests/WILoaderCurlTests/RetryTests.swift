// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// What is tried again, and when.
@Suite(.timeLimit(.minutes(5))) struct RetryTests {
    private func schedule(
        latestEnd: Duration? = nil, _ change: (inout RetryPolicy) -> Void = { _ in }
    ) -> RetrySchedule {
        var policy = RetryPolicy()
        change(&policy)
        return RetrySchedule(policy, began: .zero, latestEnd: latestEnd)
    }

    private let accident = RetrySchedule.Failure(isAccident: true)

    @Test func waitsDoubleAndAreShortenedByChance() {
        var late = schedule { $0.maximumRetries = 4 }
        var early = late
        for milliseconds in [250, 500, 1000, 2000] {
            let delay1 = late.delay(after: accident, .normal, now: .zero, random: 1)
            #expect(delay1 == .milliseconds(milliseconds))
            #expect(
                early.delay(after: accident, .normal, now: .zero, random: 0)
                    == .milliseconds(milliseconds / 2))
        }
        let delay2 = late.delay(after: accident, .normal, now: .zero, random: 1)
        #expect(delay2 == nil)
    }

    @Test func waitsHaveALimitHoweverAbsurdThePolicy() {
        var schedule = schedule {
            $0.maximumRetries = 100
            $0.firstDelay = .seconds(Int64.max)
            $0.maximumDelay = .seconds(7)
            $0.deadline = .seconds(Int64.max)
        }
        for _ in 0..<100 {
            let delay3 = schedule.delay(after: accident, .normal, now: .zero, random: 1)
            #expect(delay3 == .seconds(7))
        }
        var none = self.schedule { $0.firstDelay = .seconds(-1) }
        let delay4 = none.delay(after: accident, .normal, now: .zero, random: .nan)
        #expect(delay4 == .zero)
    }

    @Test func lowPriorityWaitsForItsNextChance() {
        var schedule = schedule()
        let delay5 = schedule.delay(after: accident, .low, now: .zero, random: 1)
        #expect(delay5 == nil)
        let delay6 = schedule.delay(after: accident, .high, now: .zero, random: 1)
        #expect(delay6 != nil)
    }

    @Test(arguments: [
        (200, false), (400, false), (404, false), (408, true), (429, true), (500, true), (501, false),
        (502, true),
        (503, true), (504, true),
    ])
    func onlySomeStatusesMayGetBetter(_ status: Int, _ retries: Bool) {
        var schedule = schedule()
        let delay = schedule.delay(
            after: RetrySchedule.Failure(status: status), .normal, now: .zero, random: 1)
        #expect((delay != nil) == retries)
    }

    @Test func whatTheServerAsksForIsWaitedForUpToALimit() {
        var schedule = schedule()
        func failure(_ seconds: Int) -> RetrySchedule.Failure {
            RetrySchedule.Failure(status: 503, retryAfter: .seconds(seconds))
        }
        let delay7 = schedule.delay(after: failure(31), .normal, now: .zero, random: 1)
        #expect(delay7 == nil)
        let delay8 = schedule.delay(after: failure(30), .normal, now: .zero, random: 1)
        #expect(delay8 == .seconds(30))
        let delay9 = schedule.delay(after: failure(0), .normal, now: .zero, random: 1)
        #expect(delay9 == .milliseconds(500))
    }

    @Test func noRetryBeginsAfterTheDeadline() {
        var schedule = schedule { $0.deadline = .seconds(10) }
        let delay10 = schedule.delay(after: accident, .normal, now: .seconds(9.8), random: 1)
        #expect(delay10 == nil)
        let delay11 = schedule.delay(after: accident, .normal, now: .seconds(9.7), random: 1)
        #expect(delay11 != nil)
        var hurried = self.schedule(latestEnd: .seconds(1))
        let delay12 = hurried.delay(after: accident, .normal, now: .seconds(0.9), random: 1)
        #expect(delay12 == nil)
    }

    // MARK: - By a loader

    private let clock = ManualClock()

    /// A loader whose time moves by hand and whose first wait is one second.
    private func fixture(
        _ change: (inout CurlLoaderConfiguration) -> Void = { _ in }
    ) throws -> LoaderFixture {
        try LoaderFixture(clock: clock, random: 1) {
            $0.retryPolicy = RetryPolicy()
            $0.retryPolicy.firstDelay = .seconds(1)
            change(&$0)
        }
    }

    /// The loader looks at its clock when something happens; this makes something happen.
    private func nudge(_ fixture: LoaderFixture) async throws {
        fixture.server.on("/nudge", .ok([1]))
        _ = try await fixture.body("/nudge")
    }

    private static let accidents: [Script] = [
        .failure(503), .failure(429), .reset, Script(steps: [.close]),
        Script(framing: .declared(5000), steps: [.head, .reset]),
    ]

    @Test(arguments: accidents.indices) func anAccidentIsTriedAgainAfterAWait(_ index: Int) async throws {
        let fixture = try fixture()
        let server = fixture.server
        server.on("/a", Script.sequence(Self.accidents[index], .ok(fixture.picture)))
        let task = Task { try await fixture.body("/a") }
        await server.waitForEnd("/a")
        try await nudge(fixture)
        clock.advance(by: .milliseconds(999))
        try await nudge(fixture)
        #expect(server.count("/a") == 1)
        clock.advance(by: .milliseconds(1))
        try await nudge(fixture)
        #expect([UInt8](try await task.value.data) == fixture.picture)
        #expect(server.count("/a") == 2)
    }

    @Test func aPortWithoutAServerIsTriedAgain() async throws {
        let fixture = try fixture { $0.retryPolicy.firstDelay = .zero }
        let url = fixture.server.url("/a").absoluteString
        let retries = Locked(0)
        var configuration = fixture.loader.configuration
        configuration.observer = { event in
            if case .retrying = event.kind { retries.withLock { $0 += 1 } }
        }
        fixture.server.stop()
        let loader = CurlLoader(configuration: configuration)
        let request = LoadRequest(url: try #require(URL(string: url)))
        let error = await #expect(throws: ImageError.self) {
            _ = try await loader.load(request, into: BodySink())
        }
        #expect(error?.code == .network)
        #expect(retries.withLock { $0 } == 2)
    }

    private static let ends: [Script] = [
        .failure(404), .failure(501), Script.ok([1, 2, 3, 4]).doing(.head, .body(1), .reset),
        Script.ok([1, 2, 3, 4]).truncated(after: 2), Script.failure(503).with("Retry-After", "3600"),
        Script.failure(503).with("Retry-After", "Fri, 31 Dec 2999 23:59:59 GMT"),
        Script.ok([1, 2, 3]).with("Content-Encoding", "gzip"), .redirect(to: "file:///etc/passwd"),
        Script(steps: [.raw(Array("no HTTP\r\n\r\n".utf8)), .close]),
    ]

    @Test(arguments: ends.indices) func whatCannotGetBetterOrHasBegunIsFinal(_ index: Int) async throws {
        let fixture = try fixture { $0.retryPolicy.firstDelay = .zero }
        fixture.server.on("/a", Self.ends[index])
        #expect(await fixture.failure("/a") != nil)
        #expect(fixture.server.count("/a") == 1)
    }

    @Test func theLastFailureIsTheAnswer() async throws {
        let fixture = try fixture { $0.retryPolicy.firstDelay = .zero }
        fixture.server.on("/a", Script.sequence(.reset, .failure(500), .failure(502), .ok([])))
        let error = await fixture.failure("/a")
        #expect(error?.httpStatus == 502)
        #expect(fixture.server.count("/a") == 3)
    }

    @Test func aRequestMayHaveAPolicyOfItsOwn() async throws {
        let fixture = try fixture()
        fixture.server.on("/a", .failure(500))
        #expect(
            await fixture.failure("/a") { $0.context[.retryPolicy] = RetryPolicy.none }?.httpStatus == 500)
        #expect(fixture.server.count("/a") == 1)
    }

    @Test func aLoadThatWaitsForItsRetryHoldsNoPlaceAndCanBeCancelled() async throws {
        let fixture = try fixture { $0.maximumTransfers = 1 }
        fixture.server.on("/a", .failure(500))
        let task = Task { try await fixture.body("/a") }
        await fixture.server.waitForEnd("/a")
        try await nudge(fixture)
        task.cancel()
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func shuttingDownDoesNotWaitForRetries() async throws {
        let fixture = try fixture()
        fixture.server.on("/a", .failure(500))
        let task = Task { try await fixture.body("/a") }
        await fixture.server.waitForEnd("/a")
        await fixture.loader.shutdown()
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .shutDown || error?.httpStatus == 500)
    }
}
