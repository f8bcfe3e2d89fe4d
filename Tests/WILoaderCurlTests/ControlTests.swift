// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// Steering a loader while it works, and watching it.
@Suite(.timeLimit(.minutes(5))) struct ControlTests {
    private func code(of task: Task<(data: Data, head: ResponseHead?), any Error>) async -> ImageError.Code? {
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        return error?.code
    }

    @Test func capsCanBeRaisedAndLoweredWhileLoadsRun() async throws {
        let fixture = try LoaderFixture { $0.maximumTransfersPerHost = 1 }
        let server = fixture.server
        server.on("/a", Script.ok(fixture.picture).gated(beforeHead: "go"))
        let tasks = (0..<8).map { _ in Task.immediate { try await fixture.body("/a") } }
        await server.waitForRequest("/a")
        fixture.loader.setMaximumTransfers(64, perHost: 4)
        await server.waitForRequest("/a", count: 4)
        fixture.loader.setMaximumTransfers(2, perHost: 4)
        server.release("go")
        for task in tasks { _ = try await task.value }
        #expect(server.maxConcurrentRequests == 4)
    }

    @Test func aSuspendedLoaderStartsNothingAndFinishesWhatRuns() async throws {
        let fixture = try LoaderFixture()
        let server = fixture.server
        server.on("/running", Script.ok(fixture.picture).gated(beforeHead: "go"))
        server.on("/a", .ok(fixture.picture))
        let running = Task { try await fixture.body("/running") }
        await server.waitForRequest("/running")
        fixture.loader.isSuspended = true
        #expect(fixture.loader.isSuspended)
        let waiting = Task.immediate { try await fixture.body("/a") }
        server.release("go")
        _ = try await running.value
        #expect(server.count("/a") == 0)
        fixture.loader.isSuspended = false
        #expect(try await waiting.value.data.count == fixture.picture.count)
    }

    @Test func aLoaderCanBeSuspendedBeforeItsFirstLoad() async throws {
        let fixture = try LoaderFixture()
        fixture.server.on("/a", .ok(fixture.picture))
        fixture.loader.isSuspended = true
        let task = Task.immediate { try await fixture.body("/a") }
        fixture.loader.isSuspended = false
        _ = try await task.value
    }

    @Test func cancellingAllEndsWhatRunsAndWhatWaitsButNotTheLoader() async throws {
        let fixture = try LoaderFixture()
        let server = fixture.server
        server.on("/hang", .hang)
        let tasks = (0..<20).map { _ in Task.immediate { try await fixture.body("/hang") } }
        await server.waitForRequest("/hang", count: 6)
        fixture.loader.cancelAll()
        for task in tasks { #expect(await code(of: task) == .cancelled) }
        #expect(server.count("/hang") == 6)
        server.on("/a", .ok(fixture.picture))
        #expect(try await fixture.body("/a").data.count == fixture.picture.count)
    }

    @Test func lastInFirstOutServesTheNewestFirst() async throws {
        let fixture = try LoaderFixture {
            $0.maximumTransfers = 1
            $0.order = .lastInFirstOut
        }
        let server = fixture.server
        server.on("/1", Script.ok(fixture.picture).gated(beforeHead: "one"))
        server.on("/7", Script.ok(fixture.picture).gated(beforeHead: "seven"))
        for number in (2...14) where number != 7 { server.on("/\(number)", .ok(fixture.picture)) }
        var tasks: [Task<(data: Data, head: ResponseHead?), any Error>] = []
        for number in 1...7 {
            tasks.append(Task.immediate { try await fixture.body("/\(number)") })
            if number == 1 { await server.waitForRequest("/1") }
        }
        server.release("one")
        await server.waitForRequest("/7")
        for number in 8...14 { tasks.append(Task.immediate { try await fixture.body("/\(number)") }) }
        server.release("seven")
        for task in tasks { _ = try await task.value }
        #expect(
            server.requests.map(\.path)
                == ([1, 7] + (8...14).reversed() + (2...6).reversed()).map { "/\($0)" })
    }

    @Test func startsAreSpreadOverTime() async throws {
        let clock = ManualClock()
        let fixture = try LoaderFixture(clock: clock) { $0.maximumStartsPerSecond = 2 }
        let server = fixture.server
        server.on("/a", Script.ok(fixture.picture).gated(beforeHead: "go"))
        let tasks = (0..<5).map { _ in Task.immediate { try await fixture.body("/a") } }
        await server.waitForRequest("/a", count: 2)
        for count in 3...5 {
            #expect(server.count("/a") == count - 1)
            clock.advance(by: .milliseconds(500))
            // A change of priority of nothing is something that happens.
            fixture.loader.setMaximumTransfers(64, perHost: 6)
            await server.waitForRequest("/a", count: count)
        }
        server.release("go")
        for task in tasks { _ = try await task.value }
    }

    // MARK: - Observation

    private func name(_ kind: TransferEvent.Kind) -> String {
        switch kind {
        case .started: "started"
        case .responded(let head): "responded \(head.status ?? 0)"
        case .redirected(let url): "redirected \(url?.path() ?? "")"
        case .retrying(_, let error): "retrying \(error.httpStatus ?? 0)"
        case .stopped(_, let error): "stopped \(error?.code.rawValue ?? "well")"
        case .finished: "finished"
        }
    }

    @Test func observersAreToldTheWholeLife() async throws {
        let seen = Locked<[TransferEvent]>([])
        let fixture = try LoaderFixture {
            $0.observer = { event in seen.withLock { $0.append(event) } }
            $0.retryPolicy = RetryPolicy()
            $0.retryPolicy.firstDelay = .zero
        }
        let server = fixture.server
        server.on("/start", .redirect(to: "/a"))
        server.on("/a", Script.sequence(.failure(503), .ok(fixture.picture)))
        _ = try await fixture.body("/start")
        let events = seen.withLock { $0 }
        #expect(
            events.map { name($0.kind) } == [
                "started", "redirected /a", "started", "retrying 503", "started", "responded 200",
                "stopped well",
                "finished",
            ])
        #expect(Set(events.map(\.transfer)).count == 1)
        #expect(events.allSatisfy { $0.url == server.url("/start") })
        guard case .stopped(let metrics, nil)? = events.dropLast().last?.kind else { return }
        #expect(metrics.redirects == 1)
        #expect(metrics.retries == 1)
        #expect(metrics.bodyBytes == fixture.picture.count)
        #expect(metrics.receivedBytes >= fixture.picture.count)
        #expect(metrics.isConnectionReused)
        #expect(metrics.connect == nil)
        #expect(metrics.protocolVersion == "HTTP/1.1")
        #expect(metrics.remoteAddress == "127.0.0.1")
        #expect(metrics.total >= metrics.waited)
        #expect(metrics.firstByte != nil)
    }

    @Test func aStreamTellsFromItsBeginningOnUntilTheLoaderGoes() async throws {
        var fixture: LoaderFixture? = try LoaderFixture()
        let server = try #require(fixture?.server)
        server.on("/a", .ok([1]))
        _ = try await fixture?.body("/a")
        let events = try #require(fixture?.loader.events())
        _ = await fixture?.failure("/missing")
        _ = try await fixture?.body("/a")
        await fixture?.loader.shutdown()
        fixture = nil
        var names: [String] = []
        for await event in events { names.append(name(event.kind)) }
        #expect(
            names == [
                "started", "stopped httpStatus", "started", "responded 200", "stopped well", "finished",
            ])
    }

    @Test func aNewConnectionHasItsTimes() async throws {
        let seen = Locked<TransferMetrics?>(nil)
        let fixture = try LoaderFixture {
            $0.observer = { event in
                if case .stopped(let metrics, _) = event.kind { seen.withLock { $0 = metrics } }
            }
        }
        fixture.server.on("/a", .ok(fixture.picture))
        _ = try await fixture.body("/a")
        let metrics = try #require(seen.withLock { $0 })
        #expect(!metrics.isConnectionReused)
        #expect(metrics.connect != nil)
        #expect(metrics.handshake == nil)
    }
}
