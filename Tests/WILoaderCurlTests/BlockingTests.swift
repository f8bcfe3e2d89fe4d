// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// Which failures of a loader block a URL, and for how long.
@Suite(.timeLimit(.minutes(5))) struct BlockingTests {
    private let fixture: LoaderFixture

    init() throws { fixture = try LoaderFixture() }

    private func blockingTime(
        _ path: String, _ script: Script, _ change: (inout LoadRequest) -> Void = { _ in }
    ) async throws -> Duration? {
        fixture.server.on(path, script)
        let error = try #require(await fixture.failure(path, change))
        return fixture.loader.blockingTime(after: error, for: fixture.request(path))
    }

    @Test func whatTheNetworkDidIsForgottenAtOnce() async throws {
        #expect(try await blockingTime("/reset", .reset) == nil)
        #expect(try await blockingTime("/closed", Script(steps: [.close])) == nil)
        #expect(try await blockingTime("/cut", Script.ok(fixture.picture).truncated(after: 10)) == nil)
        #expect(try await blockingTime("/down", .failure(503)) == nil)
        #expect(try await blockingTime("/denied", .failure(403)) == nil)
        #expect(try await blockingTime("/slow", .hang) { $0.totalTimeout = .milliseconds(50) } == nil)
    }

    @Test func whatIsNotThereIsRememberedForAMinute() async throws {
        #expect(try await blockingTime("/missing", .failure(404)) == .seconds(60))
        #expect(try await blockingTime("/gone", .failure(410)) == .seconds(60))
    }

    @Test func whatIsWrongWithTheAnswerIsRememberedForFive() async throws {
        #expect(try await blockingTime("/loop", .redirect(to: "/loop")) == .seconds(300))
        #expect(try await blockingTime("/away", .redirect(to: "file:///etc/passwd")) == .seconds(300))
        #expect(try await blockingTime("/large", .ok(fixture.picture)) { $0.bodyLimit = 10 } == .seconds(300))
        let coded = Script.ok(fixture.picture).with("Content-Encoding", "br")
        #expect(try await blockingTime("/coded", coded) == .seconds(300))
    }
}
