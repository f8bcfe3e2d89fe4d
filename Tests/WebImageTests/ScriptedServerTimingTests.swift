// SPDX-License-Identifier: MIT
internal import Testing
internal import WITestKit

/// Answers that wait: gates, hangs, drips, and the end of the server in the midst of them.
@Suite(.timeLimit(.minutes(5)))
struct ScriptedServerTimingTests {
    private let server: ScriptedServer

    init() throws { server = try ScriptedServer() }

    /// Asks for a path on a connection of its own and reads to its end.
    private func ask(_ path: String) -> Task<[UInt8], any Error> {
        let port = server.port
        return Task {
            try await onOwnThread {
                let client = try RawClient(port: port)
                client.send("GET \(path) HTTP/1.1\r\nConnection: close\r\n\r\n")
                return client.receiveAll().bytes
            }
        }
    }

    @Test func aGateHoldsTheBodyBackUntilItIsReleased() async throws {
        server.on("/g", Script.ok(Array("abcdef".utf8)).gated("go", afterBody: 2))
        let answer = ask("/g")
        await server.waitForBytes("/g", 2)
        #expect(server.bytesSent("/g") == 2)
        #expect(server.runningRequests == 1)
        server.release("go")
        #expect(String(decoding: try await answer.value, as: UTF8.self).hasSuffix("\r\n\r\nabcdef"))
    }

    @Test func aGateBeforeTheHeadHoldsEveryAnswerAndLetsAllGo() async throws {
        server.on("/g", Script.ok([65]).gated(beforeHead: "go"))
        let answers = (0..<3).map { _ in ask("/g") }
        await server.waitForRequest("/g", count: 3)
        #expect(server.maxConcurrentRequests == 3)
        #expect(server.bytesSent("/g") == 0)
        server.release("go")
        for answer in answers { #expect(try await answer.value.last == 65) }
        await server.waitForEnd("/g", count: 3)
        #expect(server.runningRequests == 0)
    }

    @Test func anOpenGateHoldsNothingAndAShutOneDoesAgain() async throws {
        server.on("/g", Script.ok([65]).gated(beforeHead: "go"))
        server.release("go")
        #expect(try await ask("/g").value.last == 65)
        server.shut("go")
        let second = ask("/g")
        await server.waitForRequest("/g", count: 2)
        #expect(server.bytesSent("/g") == 1)
        server.release("go")
        #expect(try await second.value.last == 65)
    }

    @Test func aHangEndsWhenTheClientGoes() async throws {
        server.on("/h", .hang)
        do {
            let client = try RawClient(port: server.port)
            client.send("GET /h HTTP/1.1\r\n\r\n")
            await server.waitForRequest("/h")
            #expect(server.abandonedCount("/h") == 0)
            withExtendedLifetime(client) {}
        }
        await server.waitForAbandonment("/h")
        #expect(server.abandonedCount("/h") == 1)
    }

    @Test func stoppingEndsHangsGatesAndIdleConnections() async throws {
        server.on("/h", .hang)
        server.on("/g", Script.ok([65]).gated(beforeHead: "never"))
        let idle = try RawClient(port: server.port)
        let hanging = ask("/h")
        let gated = ask("/g")
        await server.waitForRequest("/h")
        await server.waitForRequest("/g")
        server.stop()
        #expect(try await hanging.value.isEmpty)
        #expect(try await gated.value.isEmpty)
        #expect(try await onOwnThread { idle.receiveAll().bytes.isEmpty })
        #expect(throws: SystemCallError.self) { try RawClient(port: server.port) }
    }

    @Test func stoppingEndsASendThatNobodyReads() async throws {
        server.on("/big", .ok([UInt8](repeating: 1, count: 64 << 20)))
        let client = try RawClient(port: server.port)
        client.send("GET /big HTTP/1.1\r\n\r\n")
        await server.waitForBytes("/big", 64 << 10)
        server.stop()
        #expect(server.bytesSent("/big") < 64 << 20)
        #expect(server.abandonedCount("/big") == 1)
    }

    @Test func aWaitThatIsCancelledComesBack() async throws {
        let server = server
        let waiting = Task { await server.waitForRequest("/never") }
        waiting.cancel()
        await waiting.value
        #expect(server.count("/never") == 0)
    }

    @Test func aWaitComesBackWhenTheServerStops() async throws {
        let server = server
        let waiting = Task { await server.waitForRequest("/never") }
        server.stop()
        await waiting.value
        #expect(server.count("/never") == 0)
    }

    @Test func aDrippingBodyArrivesWholeAndNotSooner() async throws {
        server.on("/d", Script.ok(Array("abcdef".utf8)).dripping(2, every: .milliseconds(20)))
        let clock = ContinuousClock()
        let begin = clock.now
        let answer = String(decoding: try await ask("/d").value, as: UTF8.self)
        #expect(answer.hasSuffix("\r\n\r\nabcdef"))
        #expect(clock.now - begin >= .milliseconds(40))
    }

    @Test func manyClientsAreServedAtOnce() async throws {
        server.on("/m", Script.ok([65]).gated(beforeHead: "all"))
        let answers = (0..<100).map { _ in ask("/m") }
        await server.waitForRequest("/m", count: 100)
        server.release("all")
        for answer in answers { #expect(try await answer.value.last == 65) }
        #expect(server.connectionCount == 100)
        #expect(server.maxConcurrentRequests == 100)
    }
}
