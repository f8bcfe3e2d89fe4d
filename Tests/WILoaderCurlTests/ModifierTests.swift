// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

/// What programs change on the way, and which answers they take.
@Suite(.timeLimit(.minutes(5))) struct ModifierTests {
    private struct Refusal: Error {}

    @Test func aRequestModifierChangesURLAndFields() async throws {
        let fixture = try LoaderFixture {
            $0.requestModifier = RequestModifier { request in
                await Task.yield()
                var request = request
                request.url = try #require(URL(string: request.url.absoluteString + "?signed=1"))
                request.headers["X-Signed"] = "1"
                return request
            }
        }
        fixture.server.on("/a", .ok(fixture.picture))
        _ = try await fixture.body("/a")
        #expect(fixture.server.requests.first?.query == "signed=1")
        #expect(fixture.server.requests.first?.header("X-Signed") == "1")
        // The request's own goes before the loader's.
        _ = try await fixture.body("/a") { $0.context[.requestModifier] = RequestModifier { $0 } }
        #expect(fixture.server.requests.last?.query == nil)
    }

    @Test func aModifierThatThrowsEndsTheLoadBeforeItBegins() async throws {
        let fixture = try LoaderFixture()
        let refused = await fixture.failure("/a") {
            $0.context[.requestModifier] = RequestModifier { _ in throw Refusal() }
        }
        #expect(refused?.code == .requestRefused)
        let named = await fixture.failure("/a") {
            $0.context[.requestModifier] = RequestModifier { _ in
                throw ImageError(.vetoed, stage: .load, "No.")
            }
        }
        #expect(named?.code == .vetoed)
        let scheme = await fixture.failure("/a") {
            $0.context[.requestModifier] = RequestModifier { request in
                var request = request
                request.url = try #require(URL(string: "file:///etc/passwd"))
                return request
            }
        }
        #expect(scheme?.code == .unsupportedScheme)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test func aResponseModifierMakesAnAnswerOfAFailureAndTheReverse() async throws {
        let fixture = try LoaderFixture()
        fixture.server.on("/missing", Script(status: 404, body: fixture.picture))
        fixture.server.on("/there", .ok(fixture.picture))
        let (data, head) = try await fixture.body("/missing") {
            $0.context[.responseModifier] = ResponseModifier { head in
                var head = head
                head.status = 200
                head.headers["X-Mended"] = "1"
                return head
            }
        }
        #expect([UInt8](data) == fixture.picture)
        #expect(head?.headers["X-Mended"] == "1")
        let error = await fixture.failure("/there") {
            $0.context[.responseModifier] = ResponseModifier { head in
                var head = head
                head.status = 404
                return head
            }
        }
        #expect(error?.httpStatus == 404)
        let refused = await fixture.failure("/there") {
            $0.context[.responseModifier] = ResponseModifier { _ in throw Refusal() }
        }
        #expect(refused?.code == .responseRefused)
    }

    @Test func aDecryptorMakesTheBody() async throws {
        let fixture = try LoaderFixture { $0.decryptor = .base64 }
        let text = Array(Data(fixture.picture).base64EncodedString().utf8)
        fixture.server.on("/a", .ok(text))
        fixture.server.on("/bad", .ok(Array("!!".utf8)))
        let result = try await fixture.loader.load(fixture.request("/a"), into: BodySink())
        guard case .data(let data, let head) = result else {
            Issue.record("The answer is \(result).")
            return
        }
        #expect([UInt8](data) == fixture.picture)
        #expect(head.status == 200)
        #expect(await fixture.failure("/bad")?.code == .decryptionFailed)
        let error = await fixture.failure("/a") {
            $0.context[.decryptor] = Decryptor { _, _ in throw Refusal() }
        }
        #expect(error?.code == .decryptionFailed)
        #expect(await fixture.failure("/a") { $0.bodyLimit = 100 }?.code == .bodyLimit)
    }

    @Test func aBodyToDecryptIsNotJudgedWhileItComes() async throws {
        let fixture = try LoaderFixture { $0.decryptor = .base64 }
        fixture.server.on("/a", .ok(Array(Data(fixture.picture).base64EncodedString().utf8)))
        let progress = Locked(0)
        let sink = BodySink(
            url: nil, limit: .mebibytes(1), budget: BodyBudget(capacity: .unlimited),
            judge: { (_, _) throws(ImageError) in throw ImageError(.notAnImage, stage: .load, "No picture.")
            },
            onProgress: { received, _ in progress.withLock { $0 = received } })
        guard case .data = try await fixture.loader.load(fixture.request("/a"), into: sink) else {
            Issue.record("The body was not decrypted.")
            return
        }
        #expect(progress.withLock { $0 } > fixture.picture.count)
    }

    @Test func requestsShareALoadOnlyWhereNothingUnknownChangesThem() throws {
        let loader = CurlLoader()
        func key(_ change: (inout LoadRequest) -> Void = { _ in }) throws -> String? {
            var request = LoadRequest(url: try #require(URL(string: "http://a.example/")))
            change(&request)
            return loader.sharingKey(for: request)
        }
        let plain = try key()
        #expect(plain != nil)
        #expect(try key { $0.context[.decryptor] = Decryptor { data, _ in data } } == nil)
        #expect(try key { $0.context[.requestModifier] = RequestModifier { $0 } } == nil)
        let named = try key { $0.context[.decryptor] = .base64 }
        #expect(named != nil && named != plain)
        #expect(try key { $0.context[.requestModifier] = RequestModifier(name: "base64") { $0 } } != named)
        #expect(try key { $0.context[.responseModifier] = ResponseModifier { $0 } } == nil)
    }

    @Test func onlyAcceptableStatusesAndTypesAreTaken() async throws {
        let fixture = try LoaderFixture {
            $0.acceptableStatuses = [201]
            $0.acceptableContentTypes = ["image/png"]
        }
        let server = fixture.server
        var created = Script.ok(fixture.picture, type: "Image/PNG; x=1")
        created.status = 201
        server.on("/png", created)
        server.on("/ok", .ok(fixture.picture))
        #expect(try await fixture.body("/png").data.count == fixture.picture.count)
        #expect(await fixture.failure("/ok")?.httpStatus == 200)
        created.headers = []
        server.on("/none", created)
        server.on("/html", created.with("Content-Type", "text/html"))
        let error = await fixture.failure("/html")
        #expect(error?.code == .contentType)
        #expect(error?.message.contains("text/html") == true)
        #expect(try await fixture.body("/none").data.count == fixture.picture.count)
    }

    @Test func withoutASetOfStatusesEveryBodyIsTaken() async throws {
        let fixture = try LoaderFixture { $0.acceptableStatuses = nil }
        fixture.server.on("/a", Script(status: 404, body: fixture.picture))
        fixture.server.on("/same", .notModified())
        #expect([UInt8](try await fixture.body("/a").data) == fixture.picture)
        #expect(await fixture.failure("/same")?.httpStatus == 304)
    }

    @Test func aPartThatNobodyAskedForIsNoPicture() async throws {
        let fixture = try LoaderFixture()
        var part = Script.ok(fixture.picture).with("Content-Range", "bytes 0-4999/10000")
        part.status = 206
        fixture.server.on("/part", part)
        #expect(await fixture.failure("/part")?.httpStatus == 206)
        let (data, _) = try await fixture.body("/part") { $0.headers = ["Range": "bytes=0-4999"] }
        #expect([UInt8](data) == fixture.picture)
    }
}
