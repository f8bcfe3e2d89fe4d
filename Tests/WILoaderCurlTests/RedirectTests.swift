// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
    private let fixture: LoaderFixture

    init() throws { fixture = try LoaderFixture() }

    private var server: ScriptedServer { fixture.server }
    /// The same server under another name: 127.0.0.1 and localhost are two hosts.
    private var otherHost: String { "http://localhost:\(server.port)" }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectsAreFollowedAndTheLastURLIsTold(_ status: Int) async throws {
        server.on("/folder/one", .redirect(to: "two?q=1", status: status))
        server.on("/folder/two", .redirect(to: server.baseURL + "/a", status: status))
        server.on("/a", .ok(fixture.picture).with("X-From", "a"))
        let (data, head) = try await fixture.body("/folder/one")
        #expect([UInt8](data) == fixture.picture)
        #expect(head?.url == server.url("/a"))
        #expect(head?.headers["X-From"] == "a")
        #expect(head?.headers["Location"] == nil)
    }

    @Test func aRedirectsOwnBodyIsNoPartOfTheAnswer() async throws {
        var hop = Script.redirect(to: "/a")
        hop.body = [UInt8](repeating: 65, count: 300_000)
        server.on("/hop", hop)
        server.on("/a", .ok(fixture.picture))
        #expect([UInt8](try await fixture.body("/hop").data) == fixture.picture)
    }

    @Test func redirectsWithoutEndEndAtTheLimit() async {
        server.on("/loop", .redirect(to: "/loop"))
        let error = await fixture.failure("/loop")
        #expect(error?.code == .redirectLimit)
        #expect(error?.isRetryable == false)
        #expect(server.count("/loop") == 6)
    }

    @Test func theLimitIsTheConfigurations() async throws {
        let strict = try LoaderFixture { $0.maximumRedirects = 0 }
        strict.server.on("/one", .redirect(to: "/two"))
        #expect(await strict.failure("/one")?.code == .redirectLimit)
        #expect(strict.server.count("/two") == 0)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x",
    ])
    func aRedirectToAnotherSchemeIsRefused(_ target: String) async {
        server.on("/away", .redirect(to: target))
        #expect(await fixture.failure("/away")?.code == .redirectRefused)
    }

    @Test func secretsStayWithTheHostThatTheyAreFor() async throws {
        server.on("/start", .redirect(to: otherHost + "/target"))
        server.on("/target", .ok(fixture.picture))
        _ = try await fixture.body("/start") {
            $0.headers = ["Authorization": "Bearer secret", "Cookie": "session=secret", "X-Mine": "1"]
        }
        let first = try #require(server.requests.first)
        #expect(first.header("Authorization") == "Bearer secret")
        #expect(first.header("Cookie") == "session=secret")
        let last = try #require(server.requests.last)
        #expect(last.path == "/target")
        #expect(last.header("Authorization") == nil)
        #expect(last.header("Cookie") == nil)
    }

    @Test func secretsAreSentAgainToTheSameHost() async throws {
        server.on("/start", .redirect(to: "/target"))
        server.on("/target", .ok(fixture.picture))
        _ = try await fixture.body("/start") { $0.headers = ["Authorization": "Bearer secret"] }
        #expect(server.requests.last?.header("Authorization") == "Bearer secret")
    }

    @Test func aPasswordInTheURLStaysWithItsHost() async throws {
        server.on("/start", .redirect(to: otherHost + "/target"))
        server.on("/target", .ok(fixture.picture))
        let url = try #require(URL(string: "http://user:secret@127.0.0.1:\(server.port)/start"))
        _ = try await fixture.load(LoadRequest(url: url))
        #expect(server.requests.first?.header("Authorization")?.hasPrefix("Basic ") == true)
        #expect(server.requests.last?.path == "/target")
        #expect(server.requests.last?.header("Authorization") == nil)
    }

    @Test func aHandleThatIsUsedAgainKeepsNothingOfTheLoadBefore() async throws {
        server.on("/a", .ok(fixture.picture))
        let url = try #require(URL(string: "http://user:secret@127.0.0.1:\(server.port)/a"))
        var request = LoadRequest(url: url)
        request.headers = ["X-Mine": "1", "User-Agent": "mine"]
        request.validators.entityTag = "\"1\""
        _ = try await fixture.load(request)
        #expect(server.requests.last?.header("Authorization") != nil)
        _ = try await fixture.body("/a")
        let last = try #require(server.requests.last)
        #expect(last.connection == server.requests.first?.connection)
        for name in ["Authorization", "X-Mine", "If-None-Match"] { #expect(last.header(name) == nil) }
        #expect(last.header("User-Agent") == "WebImage/0.1")
    }
}
