// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

#if canImport(Glibc)
    import Glibc
#endif

/// Connections, caps and order, and what is left when a loader is gone.
@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    private let fixture: LoaderFixture

    init() throws { fixture = try LoaderFixture() }

    private var server: ScriptedServer { fixture.server }

    @Test func connectionsAreUsedAgainAlsoAfterAnErrorPage() async throws {
        server.on("/a", .ok(fixture.picture))
        server.on("/missing", .failure(404))
        for _ in 0..<20 { _ = try await fixture.body("/a") }
        _ = await fixture.failure("/missing")
        _ = try await fixture.body("/a")
        #expect(server.connectionCount == 1)
    }

    @Test func aConnectionThatTheServerClosedIsMadeAnew() async throws {
        server.on("/closing", Script.ok(fixture.picture).doing(.head, .body(nil), .close))
        for _ in 0..<10 { #expect(try await fixture.body("/closing").data.count == 5000) }
        #expect(server.connectionCount == 10)
    }

    @Test func noMoreRunAtOnceThanTheCapAllowsAndAllEnd() async throws {
        server.on("/a", .ok(fixture.picture))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 { group.addTask { try await fixture.body("/a").data.count } }
            for try await count in group { #expect(count == fixture.picture.count) }
        }
        #expect(server.count("/a") == 1000)
        // Each transfer has a connection of its own while it runs. (The server itself counts a request as running until
        // a moment after the client has all of it.)
        #expect(server.connectionCount <= 6)
    }

    @Test func aHangingLoadDoesNotHoldBackOthersToItsHost() async throws {
        server.on("/hang", .hang)
        server.on("/a", .ok(fixture.picture))
        let hanging = Task { try await fixture.body("/hang") }
        await server.waitForRequest("/hang")
        #expect(try await fixture.body("/a").data.count == fixture.picture.count)
        hanging.cancel()
        _ = await hanging.result
    }

    @Test func theCapOverAllHoldsAcrossHosts() async throws {
        let few = try LoaderFixture { $0.maximumTransfers = 3 }
        few.server.on("/a", Script.ok(few.picture).gated(beforeHead: "go"))
        let other = try #require(URL(string: "http://localhost:\(few.server.port)/a"))
        let tasks = (0..<10).map { number in
            Task.immediate {
                try await few.load(number % 2 == 0 ? few.request("/a") : LoadRequest(url: other)).data.count
            }
        }
        await few.server.waitForRequest("/a", count: 3)
        #expect(few.server.runningRequests == 3)
        few.server.release("go")
        for task in tasks { #expect(try await task.value == few.picture.count) }
        #expect(few.server.count("/a") == 10)
    }

    @Test func theMostUrgentThatWaitGoFirstAndCanBeRaised() async throws {
        let one = try LoaderFixture { $0.maximumTransfersPerHost = 1 }
        one.server.on("/first", Script.ok(one.picture).gated(beforeHead: "go"))
        let first = Task { try await one.body("/first") }
        await one.server.waitForRequest("/first")
        let order: [(String, LoadPriority)] = [
            ("/low", .low), ("/normal", .normal), ("/high", .high), ("/normal2", .normal), ("/raised", .low),
        ]
        let raised = BodySink()
        let tasks = order.map { path, priority in
            one.server.on(path, .ok(one.picture))
            let request = one.request(path) { $0.priority = priority }
            let sink = path == "/raised" ? raised : BodySink()
            return Task.immediate { _ = try await one.loader.load(request, into: sink) }
        }
        one.loader.setPriority(.high, of: raised)
        one.server.release("go")
        _ = try await first.value
        for task in tasks { try await task.value }
        let paths = one.server.requests.map(\.path)
        #expect(paths == ["/first", "/high", "/raised", "/normal", "/normal2", "/low"])
    }

    @Test func nothingIsLeftOpenAfterTwoHundredLoadsAndTheShutdown() async {
        await #expect(processExitsWith: .success) {
            let fixture = try LoaderFixture()
            fixture.server.on("/a", .ok(fixture.picture))
            fixture.server.on("/cut", Script.ok(fixture.picture).truncated(after: 10))
            func openFiles() -> Int { (0..<1024).count { fcntl($0, F_GETFD) != -1 } }
            func run(_ loader: CurlLoader, _ count: Int) async {
                for number in 0..<count {
                    let path = number % 4 == 0 ? "/cut" : "/a"
                    _ = try? await loader.load(fixture.request(path), into: BodySink())
                }
                await loader.shutdown()
            }
            // The first time, libraries open what they keep.
            await run(CurlLoader(configuration: .patient), 4)
            let before = openFiles()
            await run(fixture.loader, 200)
            // The server closes its side a moment later.
            while openFiles() > before { await Task.yield() }
        }
    }

    @Test func theThreadEndsWithTheLoader() async {
        await #expect(processExitsWith: .success) {
            let server = try ScriptedServer()
            server.on("/a", .ok([1, 2, 3]))
            func threads() -> Int {
                let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
                return tasks.count { task in
                    let name = FileManager.default.contents(atPath: "/proc/self/task/\(task)/comm") ?? Data()
                    return String(decoding: name, as: UTF8.self) == "webimage-curl\n"
                }
            }
            var loader: CurlLoader? = CurlLoader(configuration: .patient)
            precondition(threads() == 0, "Nothing runs before the first load.")
            _ = try await loader?.load(LoadRequest(url: server.url("/a")), into: BodySink())
            precondition(threads() == 1)
            loader = nil
            while threads() > 0 { await Task.yield() }
        }
    }

    #if os(Linux)
        @Test func useInAForkedChildIsAnErrorAndNoHang() async {
            await #expect(processExitsWith: .success) {
                let fixture = try LoaderFixture()
                fixture.server.on("/a", .ok(fixture.picture))
                _ = try await fixture.body("/a")
                // Swift hides `fork`, for good reason; the child does nothing but ask the loader once.
                typealias Fork = @convention(c) () -> pid_t
                let symbol = try #require(dlsym(nil, "fork"))
                let child = unsafeBitCast(symbol, to: Fork.self)()
                if child == 0 {
                    do {
                        _ = try await fixture.loader.load(fixture.request("/a"), into: BodySink())
                        _exit(2)
                    } catch {
                        _exit((error as? ImageError)?.code == .shutDown ? 0 : 1)
                    }
                }
                var status: Int32 = 0
                precondition(waitpid(child, &status, 0) == child)
                precondition(status == 0, "The child's status is \(status).")
                _ = try await fixture.body("/a")
            }
        }
    #endif
}
