// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// Bodies that come compressed.
@Suite(.timeLimit(.minutes(5))) struct ContentCodingTests {
    private let fixture: LoaderFixture
    /// 600,000 bytes that compress, but not to nothing.
    private let plain = [UInt8]((0..<600_000).map { UInt8(truncatingIfNeeded: ($0 * $0) >> 7) })

    init() throws { fixture = try LoaderFixture() }

    private var server: ScriptedServer { fixture.server }

    @Test(arguments: [("gzip", Compression.gzip), ("x-gzip", .gzip), ("deflate", .zlib), ("Deflate", .raw)])
    func aCompressedBodyArrivesPlain(_ coding: String, _ compression: Compression) async throws {
        server.on("/coded", Script.ok(compression(plain)).with("Content-Encoding", coding))
        let (data, head) = try await fixture.body("/coded")
        #expect([UInt8](data) == plain)
        #expect(head?.expectedLength == nil)
        #expect(server.requests.first?.header("Accept-Encoding") == "gzip")
    }

    @Test func codingIsNotAskedForWhereTheConfigurationOrTheRequestSaysSo() async throws {
        let strict = try LoaderFixture { $0.acceptsCompressedBodies = false }
        strict.server.on("/a", .ok(strict.picture))
        _ = try await strict.body("/a")
        _ = try await strict.body("/a") { $0.headers = ["accept-encoding": "deflate"] }
        #expect(strict.server.requests.map { $0.header("Accept-Encoding") } == [nil, "deflate"])
    }

    @Test(arguments: [1, 5, 18, 1000, -9, -8, -1])
    func aCutCompressedBodyIsIncompleteHoweverWellItsLengthIsKept(_ count: Int) async {
        let whole = Compression.gzip(plain)
        let cut = Array(whole.prefix(count > 0 ? count : whole.count + count))
        for script in [Script.ok(cut), Script.ok(cut).chunked(700), Script.ok(cut).framed(.untilClose)] {
            server.on("/cut", script.with("Content-Encoding", "gzip"))
            let error = await fixture.failure("/cut")
            #expect(error?.code == .incompleteBody)
            #expect(error?.isRetryable == true)
        }
    }

    @Test func aCutConnectionIsIncompleteAsWell() async {
        server.on(
            "/cut", Script.ok(Compression.gzip(plain)).with("Content-Encoding", "gzip").truncated(after: 900))
        #expect(await fixture.failure("/cut")?.code == .incompleteBody)
    }

    @Test func aDamagedCompressedBodyIsAnErrorOfItsOwn() async {
        var damaged = Compression.gzip(plain)
        // The checksum of the plain bytes stands in the last eight.
        damaged[damaged.count - 6] ^= 1
        for bytes in [damaged, fixture.picture] {
            server.on("/damaged", Script.ok(bytes).with("Content-Encoding", "gzip"))
            let error = await fixture.failure("/damaged")
            #expect(error?.code == .contentCoding)
        }
    }

    @Test(arguments: ["br", "zstd", "gzip, gzip", "aes128gcm"])
    func aCodingThatWasNotAskedForIsRefused(_ coding: String) async {
        server.on("/other", Script.ok(fixture.picture).with("Content-Encoding", coding))
        let error = await fixture.failure("/other")
        #expect(error?.code == .contentCoding)
        #expect(error?.message.contains(coding) == true)
    }

    @Test func severalMembersAreOneBodyAndPaddingIsNone() async throws {
        let members = Compression.gzip(Array(plain[..<1000])) + Compression.gzip(Array(plain[1000...]))
        server.on("/members", Script.ok(members + [0, 0, 0]).chunked(13).with("Content-Encoding", "gzip"))
        #expect([UInt8](try await fixture.body("/members").data) == plain)
        server.on("/half", Script.ok(members.dropLast(100)).with("Content-Encoding", "gzip"))
        #expect(await fixture.failure("/half")?.code == .incompleteBody)
    }

    @Test func identityIsNoCodingAndAnEmptyBodyHasNone() async throws {
        server.on("/plain", Script.ok(plain).with("Content-Encoding", "identity"))
        let (data, head) = try await fixture.body("/plain")
        #expect([UInt8](data) == plain)
        #expect(head?.expectedLength == plain.count)
        server.on("/empty", Script.ok([]).with("Content-Encoding", "gzip"))
        #expect(try await fixture.body("/empty").data.isEmpty)
    }

    @Test func aBombEndsAtTheLimitOfWhatItUnfoldsTo() async {
        let bomb = Compression.gzip([UInt8](repeating: 0, count: 20_000_000))
        #expect(bomb.count < 25_000)
        server.on("/bomb", Script.ok(bomb).with("Content-Encoding", "gzip"))
        let sink = BodySink(limit: 1_000_000)
        let error = await #expect(throws: ImageError.self) {
            _ = try await fixture.loader.load(fixture.request("/bomb"), into: sink)
        }
        #expect(error?.code == .bodyLimit)
    }

    @Test func aCompressedBodyThatIsHeldBackArrivesWhole() async throws {
        server.on("/coded", Script.ok(Compression.gzip(plain)).chunked(5000).with("Content-Encoding", "gzip"))
        let budget = BodyBudget(capacity: 100_000)
        let sink = BodySink(
            url: nil, limit: .unlimited, budget: budget,
            judge: { (_, _) throws(ImageError) in true }, onProgress: { _, _ in })
        // An older body has the memory, until the new one waits for it.
        let older = budget.open()
        #expect(budget.request(90_000, older))
        async let result = fixture.loader.load(fixture.request("/coded"), into: sink)
        await server.waitForRequest("/coded")
        while sink.receivedCount == 0, sink.head == nil { await Task.yield() }
        server.on("/a", .ok(fixture.picture))
        _ = try await fixture.body("/a")
        budget.close(older)
        _ = try await result
        #expect([UInt8](try sink.finish()) == plain)
    }
}
