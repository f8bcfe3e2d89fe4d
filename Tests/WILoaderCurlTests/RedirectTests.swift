// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
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

    @Test func fieldsOfItsOwnMayBeSecretsTooAndStayWithTheirHost() async throws {
        let fixture = try LoaderFixture { $0.headers = ["X-Api-Key": "secret", "X-Loader": "1"] }
        let server = fixture.server
        server.on("/start", .redirect(to: "/near"))
        server.on("/near", .redirect(to: "http://localhost:\(server.port)/far"))
        server.on("/far", .redirect(to: server.baseURL + "/back"))
        server.on("/back", .ok(fixture.picture))
        _ = try await fixture.body("/start") {
            $0.headers = ["X-Token": "secret", "Accept-Language": "de", "x-loader": "2"]
            $0.validators.entityTag = "\"1\""
        }
        for (path, knows) in [("/start", true), ("/near", true), ("/far", false), ("/back", false)] {
            let request = try #require(server.requests.first { $0.path == path })
            #expect(request.header("X-Api-Key") == (knows ? "secret" : nil))
            #expect(request.header("X-Token") == (knows ? "secret" : nil))
            #expect(request.header("X-Loader") == (knows ? "2" : nil))
            #expect(request.header("Accept-Language") == "de")
            #expect(request.header("If-None-Match") == "\"1\"")
            #expect(request.header("User-Agent") == "WebImage/0.1")
        }
    }

    @Test func aPasswordInTheURLGoesWithARedirectToTheSameHost() async throws {
        server.on("/start", .redirect(to: server.baseURL + "/target"))
        server.on("/target", .ok(fixture.picture))
        let url = try #require(URL(string: "http://us%40er:secret@127.0.0.1:\(server.port)/start"))
        _ = try await fixture.load(LoadRequest(url: url))
        let sent = server.requests.map { $0.header("Authorization") }
        #expect(sent.count == 2)
        #expect(sent.first == sent.last)
        #expect(sent.first??.hasPrefix("Basic ") == true)
    }

    @Test func locationsAreReadAsLibcurlReadsThem() throws {
        let base = try CurlAddress("http://user:pw@a.example/folder/one?x=1")
        for (location, target) in [
            ("two", "http://user:pw@a.example/folder/two"), ("/b c", "http://user:pw@a.example/b%20c"),
            ("//b.example/x", "http://b.example/x"), ("HTTP://A.example:80/", "http://user:pw@A.example:80/"),
            ("http://m\u{FC}nchen.example/", "http://xn--mnchen-3ya.example/"),
            ("?y", "http://user:pw@a.example/folder/one?y"),
            ("https://a.example/", "https://a.example/"), ("http://0x7f.1/", "http://127.0.0.1/"),
        ] {
            #expect(try base.resolving(location).text == target)
        }
        #expect(try base.resolving("http://A.example./").origin == base.origin)
        #expect(try base.resolving("http://a.example:81/").origin != base.origin)
    }

    @Test func aRedirectCountsForTheHostThatItLeadsTo() async throws {
        let fixture = try LoaderFixture { $0.maximumTransfersPerHost = 1 }
        let server = fixture.server
        server.on("/slow", Script.ok(fixture.picture).gated(beforeHead: "go"))
        server.on("/start", .redirect(to: "http://localhost:\(server.port)/target"))
        server.on("/target", .ok(fixture.picture))
        let slow = try #require(URL(string: "http://localhost:\(server.port)/slow"))
        let first = Task { try await fixture.load(LoadRequest(url: slow)) }
        await server.waitForRequest("/slow")
        let second = Task { try await fixture.body("/start") }
        await server.waitForEnd("/start")
        server.on("/other", .ok(fixture.picture))
        _ = try await fixture.body("/other")
        #expect(server.count("/target") == 0)
        server.release("go")
        _ = try await first.value
        #expect(try await second.value.data.count == fixture.picture.count)
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
