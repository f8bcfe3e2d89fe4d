// SPDX-License-Identifier: MIT
internal import Testing
internal import WITestKit

/// The server that all other tests lean on, seen over raw sockets.
@Suite(.timeLimit(.minutes(5)))
struct ScriptedServerTests {
    private let server: ScriptedServer

    init() throws { server = try ScriptedServer() }

    /// What one connection gives back for these requests, until the server ends it.
    private func exchange(_ requests: String...) async throws -> String {
        String(decoding: try await rawExchange(requests).bytes, as: UTF8.self)
    }

    private func rawExchange(_ requests: [String]) async throws -> (bytes: [UInt8], wasReset: Bool) {
        let port = server.port
        return try await onOwnThread {
            let client = try RawClient(port: port)
            client.send(requests.joined())
            return client.receiveAll()
        }
    }

    private func get(_ target: String, _ headers: String..., close: Bool = true) -> String {
        let fields = headers.map { $0 + "\r\n" }.joined() + (close ? "Connection: close\r\n" : "")
        return "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    @Test func theAnswerHasStatusHeadersLengthAndBody() async throws {
        server.on("/a.png", .ok(Array("hello".utf8), type: "image/png").with("X-Mark", "7"))
        let answer = try await exchange(get("/a.png"))
        #expect(
            answer
                == "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nX-Mark: 7\r\nContent-Length: 5\r\n\r\nhello"
        )
    }

    @Test func aPathWithoutAScriptIs404() async throws {
        #expect(try await exchange(get("/nothing")).hasPrefix("HTTP/1.1 404 Not Found\r\n"))
    }

    @Test func requestsAreRecordedWithQueryAndHeaders() async throws {
        _ = try await exchange(get("/p?q=1?2", "Accept:  image/*"))
        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.path == "/p")
        #expect(request.query == "q=1?2")
        #expect(request.header("ACCEPT") == "image/*")
        #expect(request.ordinal == 1)
        #expect(server.count("/p") == 1)
    }

    @Test func aConnectionServesSeveralRequests() async throws {
        server.on("/one", .ok([49]))
        server.on("/two", .ok([50]))
        let answer = try await exchange(get("/one", close: false), get("/two"))
        #expect(answer.contains("\r\n\r\n1HTTP/1.1 200 OK"))
        #expect(answer.hasSuffix("\r\n\r\n2"))
        #expect(server.connectionCount == 1)
    }

    @Test func theServerCanCloseThoughTheClientWouldKeepTheConnection() async throws {
        server.on("/one", Script.ok([49]).closing())
        let answer = try await exchange(get("/one", close: false), get("/one", close: false))
        #expect(answer.contains("Connection: close\r\n"))
        #expect(server.count("/one") == 1)
    }

    @Test func headHasTheLengthAndNoBody() async throws {
        server.on("/a", .ok(Array("hello".utf8)))
        let answer = try await exchange("HEAD /a HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(answer.contains("Content-Length: 5\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test func aBodyInChunksIsFramedAndEnded() async throws {
        server.on("/c", Script.ok(Array("abcdefgh".utf8)).chunked(3))
        let answer = try await exchange(get("/c"))
        #expect(answer.hasSuffix("\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n2\r\ngh\r\n0\r\n\r\n"))
        #expect(answer.contains("Transfer-Encoding: chunked\r\n"))
        #expect(!answer.contains("Content-Length"))
    }

    @Test func chunksCanBeCutOff() async throws {
        server.on("/c", Script.ok(Array("abcdefgh".utf8)).chunked(3).truncated(after: 4))
        #expect(try await exchange(get("/c")).hasSuffix("3\r\nabc\r\n1\r\nd\r\n"))
    }

    @Test func aTruncatedBodyEndsBeforeItsLength() async throws {
        server.on("/t", Script.ok([UInt8](repeating: 65, count: 1000)).truncated(after: 10))
        let answer = try await exchange(get("/t", close: false))
        #expect(answer.contains("Content-Length: 1000\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nAAAAAAAAAA"))
    }

    @Test func aWrongLengthIsSentAsGiven() async throws {
        server.on("/w", Script.ok([65, 66]).declaring(length: 7))
        let answer = try await exchange(get("/w", close: false))
        #expect(answer.contains("Content-Length: 7\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nAB"))
    }

    @Test func aBodyWithoutLengthEndsWithTheConnection() async throws {
        server.on("/u", Script.ok([65, 66]).framed(.untilClose))
        let answer = try await exchange(get("/u", close: false))
        #expect(!answer.contains("Content-Length"))
        #expect(answer.hasSuffix("\r\n\r\nAB"))
    }

    @Test func aRedirectNamesItsLocation() async throws {
        server.on("/r", .redirect(to: "/there", status: 308))
        let answer = try await exchange(get("/r"))
        #expect(answer.hasPrefix("HTTP/1.1 308 Permanent Redirect\r\nLocation: /there\r\n"))
    }

    @Test func aMatchingValidatorGives304WithoutBody() async throws {
        server.on("/v", Script.revalidated([65], type: "image/png", etag: "\"x\""))
        let first = try await exchange(get("/v"))
        let second = try await exchange(get("/v", "If-None-Match: \"x\""))
        #expect(first.contains("ETag: \"x\"\r\n"))
        #expect(first.hasSuffix("A"))
        #expect(second == "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n")
    }

    @Test func scriptsCanFollowEachOther() async throws {
        server.on("/s", Script.sequence(.failure(503), .ok([65])))
        #expect(try await exchange(get("/s")).hasPrefix("HTTP/1.1 503"))
        #expect(try await exchange(get("/s")).hasSuffix("A"))
        #expect(try await exchange(get("/s")).hasSuffix("A"))
    }

    @Test func aResetIsSeenAsAReset() async throws {
        server.on("/x", .reset)
        let answer = try await rawExchange([get("/x", close: false)])
        #expect(answer.bytes.isEmpty)
        #expect(answer.wasReset)
    }

    @Test func rawBytesAreSentAsTheyAre() async throws {
        server.on("/raw", Script().doing(.raw(Array("SSH-2.0\r\n".utf8)), .close))
        #expect(try await exchange(get("/raw")) == "SSH-2.0\r\n")
    }

    @Test func whatIsNoRequestEndsTheConnection() async throws {
        #expect(try await exchange("hello\r\n\r\n").isEmpty)
        #expect(server.requests.isEmpty)
    }

    @Test func theBodyOfARequestIsSkipped() async throws {
        server.on("/post", .ok([65]))
        let post = "POST /post HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345"
        let answer = try await exchange(post, get("/post"))
        #expect(server.count("/post") == 2)
        #expect(answer.hasSuffix("A"))
    }

    @Test func aLargeBodyArrivesWhole() async throws {
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        server.on("/large", .ok(body))
        let answer = try await rawExchange([get("/large")])
        #expect(Array(answer.bytes.suffix(body.count)) == body)
        #expect(server.bytesSent("/large") == body.count)
    }
}
