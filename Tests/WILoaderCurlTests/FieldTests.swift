// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// Header fields, sent and received.
@Suite(.timeLimit(.minutes(5))) struct FieldTests {
    private func lines(_ change: (inout LoadRequest) -> Void) throws -> [String] {
        var request = LoadRequest(url: try #require(URL(string: "http://a.example/")))
        change(&request)
        return try RequestFields(for: request, CurlLoaderConfiguration()).lines
    }

    @Test(arguments: ["1\r\nX-Smuggled: 2", "token\n", "a\0b", "\u{7F}"])
    func aFieldValueCannotSmuggleAnotherField(_ value: String) async throws {
        let fixture = try LoaderFixture()
        let error = await fixture.failure("/a") { $0.headers = ["X-Mine": value] }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("X-Mine") == true)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test(arguments: ["", "X Mine", "X-Mine:", "X\r\nMine", "Größe"])
    func aNameThatIsNoTokenIsRefused(_ name: String) throws {
        var headers = HTTPHeaders()
        headers.add(name, "1")
        let error = #expect(throws: ImageError.self) { try lines { $0.headers = headers } }
        #expect(error?.code == .invalidArgument)
    }

    @Test func valuesAreKeptAsTheyAre() throws {
        let lines = try lines {
            $0.headers = ["X-A": "a: b; \"c\"\tü", "X-B": "", "Accept": "image/png"]
            $0.validators = Validators(entityTag: "W/\"1\"", lastModified: "yesterday\r\nX-Evil: 1")
        }
        #expect(
            lines == [
                "X-A: a: b; \"c\"\tü", "X-B;", "Accept: image/png", "Accept-Encoding: gzip",
                "If-None-Match: W/\"1\"",
            ])
    }

    @Test(arguments: [
        ("br", "br"), ("gzip, br", "br"), ("gzip;q=1, zstd;q=0.1", "zstd"), ("*", "*"), ("br;q=0.0", nil),
        ("GZIP, deflate ; q=0.5,identity", nil), ("", nil), ("gzip, *;q=0", nil),
        ("gzip;q=1;q=0, br ;q=x", "br"),
    ])
    func noCodingIsAskedForThatCannotBeUndone(_ value: String, _ foreign: String?) throws {
        let headers: HTTPHeaders = ["Accept-Encoding": value]
        guard let foreign else {
            #expect(try lines { $0.headers = headers }.filter { $0.hasPrefix("Accept-Encoding") }.count == 1)
            return
        }
        let error = #expect(throws: ImageError.self) { try lines { $0.headers = headers } }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("“\(foreign)”") == true)
    }

    private func response(_ lines: [String], limit: ByteCount = 10_000) -> (CurlResponse, [CurlResponse.Line])
    {
        var response = CurlResponse(limit: limit)
        let kinds = lines.map { line in Array("\(line)\r\n".utf8).withUnsafeBytes { response.take($0) } }
        return (response, kinds)
    }

    @Test func aHeadIsTakenApart() {
        let (response, kinds) = response([
            "HTTP/2 206", "ETag:\"a:b\"", "X-Empty:", "X-Space:   a b  ", "Content-Length: 12", "",
        ])
        #expect(kinds == [.status, .field, .field, .field, .field, .end])
        #expect(response.status == 206)
        #expect(response.headers["etag"] == "\"a:b\"")
        #expect(response.headers["X-Empty"] == "")
        #expect(response.headers["X-Space"] == "a b")
        #expect(response.statedLength == .bytes(12))
    }

    @Test func laterHeadsReplaceEarlierOnesAndTrailersAreNoPart() {
        let (response, _) = response([
            "HTTP/1.1 100 Continue", "", "HTTP/1.1 302 Found", "Location: /b", "", "HTTP/1.1 200 OK",
            "X-A: 1", "",
            "X-Trailer: 1", "",
        ])
        #expect(response.status == 200)
        #expect(response.headers.fields.map(\.name) == ["X-A"])
    }

    @Test func aFieldThatLooksLikeAStatusLineIsNone() {
        let (response, _) = response(["HTTP/1.1 404 Not Found", "HTTP/1.1 200 OK: x", "", ""])
        #expect(response.status == 404)
    }

    @Test(arguments: [
        ("12, 12", CurlResponse.StatedLength.bytes(12)), ("12,13", .contradictory), ("-1", .none),
        ("1e3", .none),
        ("99999999999999999999", .bytes(.max)), ("", .none), ("5, x", .none), ("0", .bytes(0)),
    ])
    func aLengthIsOneNumber(_ value: String, _ length: CurlResponse.StatedLength) {
        let head = response(["HTTP/1.1 200 OK", "Content-Length: \(value)", ""]).0
        #expect(head.statedLength == length)
        let coded = response([
            "HTTP/1.1 200 OK", "Content-Length: \(value)", "Content-Encoding: gzip", "",
        ]).0
        #expect(coded.statedLength == (length == .contradictory ? .contradictory : .none))
        let chunked = response([
            "HTTP/1.1 200 OK", "Content-Length: \(value)", "Transfer-Encoding: chunked", "",
        ]).0
        #expect(chunked.statedLength == .none)
    }

    @Test func linesThatAreNoHTTPDoNoHarm() {
        let (response, kinds) = response(["", "no colon", ":", "HTTP/", "HTTP/1.1 abc", " folded: x", ""])
        #expect(response.status == 0)
        #expect(kinds.count == 7)
    }

    @Test func informationalHeadsWithoutEndReachTheLimit() {
        let lines = Array(repeating: ["HTTP/1.1 103 Early Hints", ""], count: 100).flatMap { $0 }
        let kinds = response(lines, limit: 1000).1
        #expect(kinds.last == .overLimit)
        #expect(kinds.first == .status)
    }
}
