// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// Which hosts are asked.
@Suite(.timeLimit(.minutes(5))) struct SourcePolicyTests {
    @Test(arguments: [
        ("images.example", "http://images.example/", true),
        ("images.example", "http://IMAGES.example.:81/", true),
        ("images.example", "http://a.images.example/", false),
        ("images.example", "http://ximages.example/", false),
        ("*.example", "http://a.example/", true), ("*.example", "http://a.b.example/", true),
        ("*.example", "http://example/", false), ("*.example", "http://aexample/", false),
        ("*", "https://anything/", true), ("*:443", "https://anything/", true),
        ("*:443", "http://anything/", false),
        ("a.example:8080", "http://a.example:8080/", true), ("a.example:8080", "http://a.example/", false),
        ("a.example:80", "http://a.example/", true), ("a.example", "http://user@a.example/", true),
        ("a.example", "http://a.example@evil.example/", false), ("127.0.0.1", "http://0x7f.1/", true),
        ("[::1]", "http://[::1]:81/", true), ("[::1]:80", "http://[0:0::1]/", true),
        ("m\u{FC}nchen.example", "http://xn--mnchen-3ya.example/", true),
        ("A.Example", "http://a.example/", true),
    ])
    func patternsMatchWhatTheySay(_ pattern: String, _ url: String, _ matches: Bool) throws {
        let address = try CurlAddress(url)
        #expect(try HostPattern(pattern).matches(address.origin) == matches)
        #expect(SourcePolicy(allowed: [try HostPattern(pattern)]).allows(address.origin) == matches)
        #expect(SourcePolicy(refused: [try HostPattern(pattern)]).allows(address.origin) == !matches)
    }

    @Test(arguments: [
        "", "a.*.example", "**", "a/b", "a:b", "a:0", "a:65536", "[::1", "user@a", ":80", "::1",
    ])
    func whatIsNoPatternIsAnError(_ text: String) {
        let error = #expect(throws: ImageError.self) { try HostPattern(text) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func refusedGoesBeforeAllowed() throws {
        let policy = SourcePolicy(
            allowed: [try HostPattern("*.example")], refused: [try HostPattern("b.example")])
        #expect(policy.allows(try CurlAddress("http://a.example/").origin))
        #expect(!policy.allows(try CurlAddress("http://b.example/").origin))
        #expect(!policy.allows(try CurlAddress("http://a.other/").origin))
    }

    @Test func aHostThatIsNotAllowedIsNeverAskedNorAfterARedirect() async throws {
        let allowed = try HostPattern("127.0.0.1")
        let fixture = try LoaderFixture { $0.sourcePolicy = SourcePolicy(allowed: [allowed]) }
        let server = fixture.server
        server.on("/a", .ok(fixture.picture))
        server.on("/away", .redirect(to: "http://localhost:\(server.port)/a"))
        #expect(try await fixture.body("/a").head?.url == server.url("/a"))
        let error = await fixture.failure(of: "http://localhost:\(server.port)/a")
        #expect(error?.code == .sourceRefused)
        #expect(error?.message.contains("localhost") == true)
        #expect(await fixture.failure("/away")?.code == .sourceRefused)
        #expect(server.count("/a") == 1)
    }
}
