// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// What a load brings when the server is well, and how its plain failures are named.
@Suite(.timeLimit(.minutes(5))) struct CurlLoaderTests {
    private let fixture: LoaderFixture

    init() throws { fixture = try LoaderFixture() }

    private var server: ScriptedServer { fixture.server }
    private var picture: [UInt8] { fixture.picture }

    @Test func onlyHTTPAndHTTPSAreTaken() async throws {
        for (text, taken) in [
            ("http://a.example/x", true), ("HTTPS://a.example/x", true), ("ftp://a.example/x", false),
            ("file:///etc/passwd", false), ("data:,x", false),
        ] {
            let url = try #require(URL(string: text))
            #expect(fixture.loader.canLoad(LoadRequest(url: url)) == taken)
        }
        #expect(await fixture.failure(of: "ftp://127.0.0.1/x")?.code == .unsupportedScheme)
    }

    @Test func aBodyArrivesAsItWasSent() async throws {
        server.on("/a", .ok(picture, type: "image/png").with("ETag", "\"7\""))
        let (data, head) = try await fixture.body("/a")
        #expect([UInt8](data) == picture)
        #expect(head?.status == 200)
        #expect(head?.headers["etag"] == "\"7\"")
        #expect(head?.expectedLength == picture.count)
        #expect(head?.url == server.url("/a"))
    }

    @Test func aLargeBodyArrivesWhole() async throws {
        var large: [UInt8] = []
        for number in 0..<1050 { large += [UInt8(truncatingIfNeeded: number)] + picture }
        server.on("/large", .ok(large))
        #expect([UInt8](try await fixture.body("/large").data) == large)
    }

    @Test func aChunkedBodyArrivesWholeWithoutAnExpectedLength() async throws {
        server.on("/chunked", Script(body: picture, framing: .chunked(100)))
        let (data, head) = try await fixture.body("/chunked")
        #expect([UInt8](data) == picture)
        #expect(head?.expectedLength == nil)
    }

    @Test func aBodyThatEndsWithTheConnectionArrivesWhole() async throws {
        server.on("/close", Script(body: picture, framing: .untilClose))
        #expect([UInt8](try await fixture.body("/close").data) == picture)
    }

    @Test func anEmptyBodyIsABodyForTheSinkToJudge() async throws {
        server.on("/empty", .ok([]))
        let (data, head) = try await fixture.body("/empty")
        #expect(data.isEmpty)
        #expect(head?.status == 200)
    }

    @Test func progressTellsBytesAndTheExpectedLength() async throws {
        server.on("/a", Script.ok(picture).gated("go", afterBody: 2000))
        let seen = Locked<[(Int, Int?)]>([])
        let first = Gate()
        let sink = BodySink(
            url: nil, limit: .unlimited, budget: BodyBudget(capacity: .unlimited),
            judge: { (_, _) throws(ImageError) in true },
            onProgress: { received, expected in
                seen.withLock { $0.append((received, expected)) }
                if received == 2000 { Task { await first.pass() } }
            })
        async let result = fixture.loader.load(fixture.request("/a"), into: sink)
        await first.waitForArrivals(1)
        server.release("go")
        first.open()
        _ = try await result
        let steps = seen.withLock { $0 }
        #expect(steps.first?.0 == 2000)
        #expect(steps.last?.0 == picture.count)
        #expect(steps.allSatisfy { $0.1 == picture.count })
    }

    @Test(arguments: [
        (400, false), (404, false), (408, true), (410, false), (429, true), (500, true), (503, true),
    ])
    func aStatusThatIsNoSuccessIsAnError(_ status: Int, _ retry: Bool) async {
        server.on("/status", .failure(status))
        let error = await fixture.failure("/status")
        #expect(error?.code == .httpStatus)
        #expect(error?.httpStatus == status)
        #expect(error?.isRetryable == retry)
    }

    @Test func validatorsAreSentAndAnUnchangedAnswerIsNotModified() async throws {
        server.on("/v", Script.revalidated(picture, type: "image/png", etag: "\"1\""))
        var request = fixture.request("/v")
        request.validators = Validators(entityTag: "\"1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
        let sink = BodySink()
        let result = try await fixture.loader.load(request, into: sink)
        guard case .notModified(let head) = result else {
            Issue.record("The answer is \(result).")
            return
        }
        #expect(head.status == 304)
        #expect(head.headers["ETag"] == "\"1\"")
        #expect(sink.head == nil)
        #expect(server.requests.last?.header("If-Modified-Since") == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func theRequestsFieldsAreSentBesideTheLoadersOwn() async throws {
        server.on("/a", .ok(picture))
        _ = try await fixture.body("/a") { $0.headers = ["X-Mine": "1", "X-Empty": ""] }
        let request = try #require(server.requests.last)
        #expect(request.header("X-Mine") == "1")
        #expect(request.header("X-Empty") == "")
        #expect(request.header("Accept") == "image/*,*/*;q=0.8")
        #expect(request.header("User-Agent") == "WebImage/0.1")
        _ = try await fixture.body("/a") { $0.headers = ["accept": "image/png", "User-Agent": "mine"] }
        let second = try #require(server.requests.last)
        #expect(second.header("Accept") == "image/png")
        #expect(second.header("User-Agent") == "mine")
    }

    @Test func aPortWithoutAServerIsANetworkError() async {
        let url = server.url("/a").absoluteString
        server.stop()
        let error = await fixture.failure(of: url)
        #expect(error?.code == .network)
        #expect(error?.isRetryable == true)
        #expect(error?.underlying?.contains("connect") == true)
    }

    @Test func aHostWithoutAnAddressIsNamedSo() async {
        let error = await fixture.failure(of: "http://nowhere.invalid/a")
        #expect(error?.code == .hostNotFound)
        #expect(error?.isRetryable == true)
        #expect(error?.underlying?.contains("nowhere.invalid") == true)
    }
}
