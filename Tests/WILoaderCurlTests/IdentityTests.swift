// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// How a loader makes itself known, and to whom.
@Suite(.timeLimit(.minutes(5))) struct IdentityTests {
    private func fixture(
        _ make: (HostPattern) -> Credential, for host: String = "127.0.0.1"
    ) throws -> LoaderFixture {
        let credential = make(try HostPattern(host))
        let fixture = try LoaderFixture { $0.credentials = [credential] }
        fixture.server.on("/a", .ok(fixture.picture))
        fixture.server.on("/away", .redirect(to: "http://localhost:\(fixture.server.port)/a"))
        fixture.server.on("/near", .redirect(to: "/a"))
        return fixture
    }

    @Test func basicAndBearerAreSentFromTheStartToTheirHostAlone() async throws {
        for (fixture, value) in [
            (try fixture { .basic(user: "us er", password: "p:w\u{E9}", for: $0) }, "Basic dXMgZXI6cDp3w6k="),
            (try fixture { .bearer("t0ken", for: $0) }, "Bearer t0ken"),
        ] {
            for path in ["/a", "/near", "/away"] { _ = try await fixture.body(path) }
            let sent = fixture.server.requests.map { $0.header("Authorization") }
            #expect(sent == [value, value, value, value, nil])
        }
    }

    @Test func aHostOfARedirectIsToldItsOwnCredential() async throws {
        let fixture = try fixture({ .bearer("t0ken", for: $0) }, for: "localhost")
        _ = try await fixture.body("/away") { $0.headers = ["Authorization": "Basic bWU="] }
        #expect(fixture.server.requests.map { $0.header("Authorization") } == ["Basic bWU=", "Bearer t0ken"])
    }

    @Test func whatTheRequestSaysGoesBefore() async throws {
        let fixture = try fixture { .bearer("t0ken", for: $0) }
        _ = try await fixture.body("/a") { $0.headers = ["authorization": "Basic bWU="] }
        let url = try #require(URL(string: "http://a:b@127.0.0.1:\(fixture.server.port)/a"))
        _ = try await fixture.load(LoadRequest(url: url))
        #expect(fixture.server.requests.map { $0.header("Authorization") } == ["Basic bWU=", "Basic YTpi"])
    }

    @Test func aTokenCannotSmuggleAField() async throws {
        let fixture = try fixture { .bearer("t0ken\r\nX-Evil: 1", for: $0) }
        _ = try await fixture.body("/a")
        #expect(fixture.server.requests.first?.header("X-Evil") == nil)
    }

    @Test func aDigestIsSentWhenTheServerAsksForIt() async throws {
        let fixture = try fixture { .digest(user: "me", password: "secret", for: $0) }
        let picture = fixture.picture
        fixture.server.on("/digest") { request in
            guard let answer = request.header("Authorization") else {
                return Script.failure(401).with(
                    "WWW-Authenticate",
                    "Digest realm=\"pictures\", nonce=\"abc\", qop=\"auth\", algorithm=SHA-256")
            }
            let isRight = answer.contains("username=\"me\"") && answer.contains("response=\"")
            return isRight && !answer.contains("secret") ? .ok(picture) : .failure(403)
        }
        #expect([UInt8](try await fixture.body("/digest").data) == picture)
        // The handle that knows the password is not used for another host.
        let url = try #require(URL(string: "http://localhost:\(fixture.server.port)/digest"))
        let error = await #expect(throws: ImageError.self) {
            _ = try await fixture.load(LoadRequest(url: url))
        }
        #expect(error?.httpStatus == 401)
    }

    @Test func cookiesAreKeptWhereTheyAreWantedAndStayWithTheirHost() async throws {
        for handles in [true, false] {
            let fixture = try LoaderFixture { $0.handlesCookies = handles }
            let server = fixture.server
            server.on("/set", Script.ok([1]).with("Set-Cookie", "session=7; Path=/"))
            server.on("/a", .ok(fixture.picture))
            server.on("/away", .redirect(to: "http://localhost:\(server.port)/a"))
            for path in ["/set", "/a", "/away"] { _ = try await fixture.body(path) }
            let cookie = handles ? "session=7" : nil
            #expect(server.requests.map { $0.header("Cookie") } == [nil, cookie, cookie, nil])
        }
    }

    @Test func loadersDoNotShareCookies() async throws {
        let one = try LoaderFixture { $0.handlesCookies = true }
        one.server.on("/set", Script.ok([1]).with("Set-Cookie", "session=7; Path=/"))
        _ = try await one.body("/set")
        let other = CurlLoader(configuration: one.loader.configuration)
        _ = try await other.load(one.request("/set"), into: BodySink())
        #expect(one.server.requests.last?.header("Cookie") == nil)
    }

    @Test func aProxyIsAskedForTheWholeURL() async throws {
        let proxy = try ScriptedServer()
        let fixture = try LoaderFixture { $0.proxy = .url("http://me:pw@127.0.0.1:\(proxy.port)") }
        proxy.on("http://a.example/x", .ok(fixture.picture))
        let url = try #require(URL(string: "http://a.example/x"))
        let (data, head) = try await fixture.load(LoadRequest(url: url))
        #expect([UInt8](data) == fixture.picture)
        #expect(head?.url == url)
        #expect(proxy.requests.first?.header("Proxy-Authorization") == "Basic bWU6cHc=")
    }

    @Test func aProxyAndAnAddressPolicyContradictEachOther() async throws {
        let fixture = try LoaderFixture {
            $0.proxy = .url("http://127.0.0.1:1")
            $0.addressPolicy = .publicOnly
        }
        #expect(await fixture.failure("/a")?.code == .invalidArgument)
    }
}
