// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// Answers of servers that are broken, or mean harm.
@Suite(.timeLimit(.minutes(5))) struct HostileAnswerTests {
    private let fixture: LoaderFixture

    init() throws { fixture = try LoaderFixture() }

    private var server: ScriptedServer { fixture.server }

    @Test func anAnswerThatIsNoHTTPIsANetworkError() async {
        server.on("/garbage", Script(steps: [.raw(Array("hello, this is no HTTP\r\n\r\n".utf8)), .close]))
        let error = await fixture.failure("/garbage")
        #expect(error?.code == .network)
        server.on("/hop", .redirect(to: "/garbage"))
        #expect(await fixture.failure("/hop")?.code == .network)
    }

    @Test func aConnectionClosedWithoutAnAnswerIsANetworkError() async {
        server.on("/nothing", Script(steps: [.close]))
        let error = await fixture.failure("/nothing")
        #expect(error?.code == .network)
        #expect(error?.isRetryable == true)
    }

    @Test func fieldsWithoutEndAreRefusedBeforeTheyFillMemory() async {
        let field = "X-Filler: " + String(repeating: "a", count: 8000)
        var script = Script.ok(fixture.picture)
        for _ in 0..<1000 { script = script.with("X-Filler", String(field.dropFirst(10))) }
        server.on("/fields", script)
        let error = await fixture.failure("/fields")
        #expect(error?.code == .network)
        #expect(error?.message.contains("header fields") == true)
        #expect(error?.isRetryable == false)
    }

    @Test func aFieldLongerThanLibcurlTakesIsNoLackOfMemory() async {
        server.on("/field", Script.ok(fixture.picture).with("X-Long", String(repeating: "a", count: 150_000)))
        let error = await fixture.failure("/field")
        #expect(error?.code == .network)
        #expect(error?.message.contains("header field") == true)
    }

    @Test func anAnswerThatStatesTwoLengthsIsNoPicture() async {
        for first in ["5", "4999"] {
            server.on("/two", Script.ok(fixture.picture).with("Content-Length", first))
            let error = await fixture.failure("/two")
            #expect(error?.code == .network)
            #expect(error?.message.contains("two lengths") == true)
        }
    }

    @Test func aLengthBeyondAllNumbersIsOverTheLimit() async {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"
        server.on("/beyond", Script(steps: [.raw(Array(head.utf8) + fixture.picture), .close]))
        #expect(await fixture.failure("/beyond")?.code == .bodyLimit)
    }

    @Test func aLengthOverTheLimitEndsTheLoadBeforeAnyByteOfTheBody() async {
        let announced = Script(framing: .declared(5000), steps: [.head, .hang])
        server.on("/announced", announced)
        #expect(await fixture.failure("/announced") { $0.bodyLimit = 4999 }?.code == .bodyLimit)
    }

    @Test(arguments: [-1, 5_000_000_000_000_000_000])
    func anAbsurdLengthIsAnErrorAndNoAllocation(_ length: Int) async {
        server.on(
            "/absurd", Script.ok(fixture.picture).framed(.declared(length)).doing(.head, .body(nil), .close))
        let error = await fixture.failure("/absurd")
        #expect(error != nil)
    }

    @Test func aChunkedBodyThatEndsEarlyIsIncomplete() async {
        server.on("/chunks", Script.ok(fixture.picture).chunked(500).truncated(after: 2000))
        let error = await fixture.failure("/chunks")
        #expect(error?.code == .incompleteBody)
        #expect(error?.isRetryable == true)
    }

    @Test func aResetWithinTheBodyIsIncomplete() async {
        server.on("/reset", Script.ok(fixture.picture).doing(.head, .body(1000), .reset))
        #expect(await fixture.failure("/reset")?.code == .incompleteBody)
    }

    @Test func aLongErrorPageIsAStatusErrorWhateverItsStatus() async {
        for status in [302, 404, 500] {
            server.on("/page", Script(status: status, body: [UInt8](repeating: 32, count: 1 << 20)))
            let error = await fixture.failure("/page")
            #expect(error?.code == .httpStatus)
            #expect(error?.httpStatus == status)
        }
    }

    @Test func informationalAnswersAreNotTheAnswer() async throws {
        let early = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
        server.on("/early", Script.ok(fixture.picture).doing(.raw(Array(early.utf8)), .head, .body(nil)))
        let (data, head) = try await fixture.body("/early")
        #expect([UInt8](data) == fixture.picture)
        #expect(head?.status == 200)
        #expect(head?.headers["Link"] == nil)
    }

    @Test func anUnaskedForNotModifiedIsAStatusError() async {
        server.on("/same", .notModified())
        let error = await fixture.failure("/same")
        #expect(error?.code == .httpStatus)
        #expect(error?.httpStatus == 304)
    }

    @Test func aRedirectToNoURLIsRefused() async {
        server.on("/nowhere", .redirect(to: "http://"))
        #expect(await fixture.failure("/nowhere")?.code == .redirectRefused)
    }

    @Test func aPasswordInTheURLStaysOutOfTheError() async {
        let error = await fixture.failure(of: "http://user:secret@127.0.0.1:\(server.port)/x?token=abc")
        #expect(error?.code == .httpStatus)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.contains("abc") == false)
    }
}
