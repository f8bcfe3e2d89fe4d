// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// Many requests for one picture, through a manager.
@Suite(.timeLimit(.minutes(3))) struct SharedLoadTests {
    private let server: ScriptedServer
    private let manager: ImageManager
    private let picture: [UInt8]

    init() throws {
        server = try ScriptedServer()
        picture = [UInt8](ToyCoder.file(width: 8, height: 8))
        manager = ImageManager(
            cache: DictionaryCache(), loader: CurlLoader(configuration: .patient), coder: ToyCoder())
    }

    private func request(_ path: String) -> ImageRequest {
        ImageRequest(server.url(path).absoluteString, context: [.set(.fromLoaderOnly, true)])
    }

    /// Joins and leaves in an order that the seed says; whoever stays gets the picture.
    @Test func aThousandJoinsAndLeavesEndOnceEachAndAskTheServerOnceAtATime() async throws {
        server.on("/hot", Script.ok(picture).gated("go", afterBody: 3))
        var random = SeededGenerator(seed: 11)
        var tasks: [(task: Task<ImageResult, any Error>, leaves: Bool)] = []
        let first = Task { try await manager.image(for: request("/hot")) }
        await server.waitForRequest("/hot")
        for _ in 0..<1000 {
            let leaves = Bool.random(using: &random)
            let task = Task { try await manager.image(for: request("/hot")) }
            tasks.append((task, leaves))
            let other = tasks[Int.random(in: max(0, tasks.count - 30)..<tasks.count, using: &random)]
            if other.leaves { other.task.cancel() }
            if Int.random(in: 0..<8, using: &random) == 0 { await Task.yield() }
        }
        for entry in tasks where entry.leaves {
            entry.task.cancel()
            let error = await #expect(throws: ImageError.self) { _ = try await entry.task.value }
            #expect(error?.code == .cancelled)
        }
        #expect(server.count("/hot") == 1)
        #expect(server.abandonedCount("/hot") == 0)
        server.release("go")
        for entry in tasks where !entry.leaves {
            #expect(try await entry.task.value.image.size == PixelSize(width: 8, height: 8))
        }
        _ = try await first.value
        // Who comes after the end asks anew, but never beside another.
        #expect(server.maxConcurrentRequests == 1)
        await manager.shutdown()
    }

    @Test func whenAllHaveLeftTheTransferEndsAndTheNextOneBegins() async throws {
        server.on("/hot", Script.sequence(.hang, .ok(picture)))
        let tasks = (0..<50).map { _ in Task { try await manager.image(for: request("/hot")) } }
        await server.waitForRequest("/hot")
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: ImageError.self) { _ = try await task.value } }
        await server.waitForAbandonment("/hot")
        let result = try await manager.image(for: request("/hot"))
        #expect(result.image.size == PixelSize(width: 8, height: 8))
        #expect(server.count("/hot") == 2)
        await manager.shutdown()
    }
}
