// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Bodies that are cut off and continued.
@Suite(.timeLimit(.minutes(5))) struct ResumeTests {
    private let folder: TemporaryFolder
    private let picture = [UInt8]((0..<50_000).map { UInt8(truncatingIfNeeded: ($0 * $0) >> 5) })

    init() throws { folder = try TemporaryFolder() }

    private func fixture(
        keeps: Bool = false, _ change: (inout CurlLoaderConfiguration) -> Void = { _ in }
    ) throws -> LoaderFixture {
        try LoaderFixture {
            $0.retryPolicy = RetryPolicy()
            $0.retryPolicy.firstDelay = .zero
            if keeps {
                $0.partialDownloads = PartialDownloads(folder: folder.path + "/partial")
                $0.partialDownloads?.smallest = 1000
                $0.retryPolicy = .none
            }
            change(&$0)
        }
    }

    /// A server as it should be: ranges of a body with a strong validator, whole where it has changed.
    private func ranges(
        of body: [UInt8], tag: String = "\"1\"", cut: Int? = nil
    ) -> @Sendable (Request) -> Script {
        { request in
            guard let range = request.header("Range"), request.header("If-Range") == tag,
                let start = Int(range.dropFirst(6).dropLast()), start < body.count
            else {
                let whole = Script.ok(body).with("ETag", tag)
                return cut.map { whole.truncated(after: $0) } ?? whole
            }
            return Self.part(body, start).with("ETag", tag)
        }
    }

    private static func part(_ body: [UInt8], _ start: Int, range: String? = nil) -> Script {
        var script = Script.ok(Array(body[start...]))
        script.status = 206
        return script.with("Content-Range", range ?? "bytes \(start)-\(body.count - 1)/\(body.count)")
    }

    @Test func aBodyThatIsCutOffIsContinuedWhereItStopped() async throws {
        let fixture = try fixture()
        fixture.server.on("/a", ranges(of: picture, cut: 20_000))
        let (data, head) = try await fixture.body("/a")
        #expect([UInt8](data) == picture)
        #expect(head?.status == 200)
        let second = try #require(fixture.server.requests.last)
        #expect(second.header("Range") == "bytes=20000-")
        #expect(second.header("If-Range") == "\"1\"")
        #expect(second.header("Accept-Encoding") == "identity")
        #expect(fixture.server.count("/a") == 2)
    }

    @Test func itIsContinuedAsOftenAsRetriesAreAllowed() async throws {
        let fixture = try fixture()
        let (picture, ranges) = (picture, ranges(of: picture))
        fixture.server.on("/a") { request in
            let script = ranges(request)
            return request.ordinal <= 2 ? script.truncated(after: 10_000) : script
        }
        #expect([UInt8](try await fixture.body("/a").data) == picture)
        #expect(fixture.server.requests.map { $0.header("Range") } == [nil, "bytes=10000-", "bytes=20000-"])
    }

    @Test func aPictureThatHasChangedIsLoadedAnew() async throws {
        let fixture = try fixture()
        let other = [UInt8](repeating: 7, count: 30_000)
        let (old, new) = (ranges(of: picture, cut: 20_000), ranges(of: other, tag: "\"2\""))
        fixture.server.on("/a") { $0.ordinal == 1 ? old($0) : new($0) }
        let (data, head) = try await fixture.body("/a")
        #expect([UInt8](data) == other)
        #expect(head?.headers["ETag"] == "\"2\"")
    }

    private static let lies: [@Sendable ([UInt8]) -> Script] = [
        { part($0, 20_000, range: "bytes 19999-49999/50000").with("ETag", "\"1\"") },
        { part($0, 20_000, range: "bytes 20000-49999/50001").with("ETag", "\"1\"") },
        { part($0, 20_000, range: "bytes 20000-49998/50000").with("ETag", "\"1\"") },
        { part($0, 20_000, range: "bytes 20000-49999/*").with("ETag", "\"1\"") },
        { part($0, 20_000, range: "-").with("ETag", "\"1\"") },
        { part($0, 20_000).with("ETag", "\"2\"") },
        { part($0, 20_000).with("ETag", "W/\"1\"") },
        { part($0, 20_000) },
        { part($0, 20_000).with("ETag", "\"1\"").with("Content-Encoding", "gzip") },
        { _ in .failure(416) },
    ]

    @Test(arguments: lies.indices) func whatIsNoRestOfTheBodyIsNotTakenForIt(_ index: Int) async throws {
        let fixture = try fixture()
        let (picture, lie) = (picture, Self.lies[index])
        fixture.server.on("/a") { request in
            switch request.ordinal {
            case 1: Script.ok(picture).with("ETag", "\"1\"").truncated(after: 20_000)
            case 2: lie(picture)
            default: Script.ok(picture)
            }
        }
        #expect([UInt8](try await fixture.body("/a").data) == picture)
        #expect(fixture.server.requests.map { $0.header("Range") } == [nil, "bytes=20000-", nil])
    }

    @Test(arguments: [
        [:], ["ETag": "W/\"1\""], ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
        ["ETag": "\"1\"", "Accept-Ranges": "none"], ["ETag": "no quotes"],
    ])
    func withoutAStrongValidatorNothingIsContinued(_ fields: [String: String]) async throws {
        let fixture = try fixture()
        var script = Script.ok(picture).truncated(after: 20_000)
        for (name, value) in fields { script = script.with(name, value) }
        fixture.server.on("/a", script)
        #expect(await fixture.failure("/a")?.code == .incompleteBody)
        #expect(fixture.server.count("/a") == 1)
    }

    @Test func aCompressedBodyIsNotContinued() async throws {
        let fixture = try fixture()
        let coded = Script.ok(Compression.gzip(picture)).with("Content-Encoding", "gzip").with(
            "ETag", "\"1\"")
        fixture.server.on("/a", coded.truncated(after: 900))
        #expect(await fixture.failure("/a")?.code == .incompleteBody)
        #expect(fixture.server.count("/a") == 1)
    }

    // MARK: - Across loads

    private var names: [String] { (try? LocalFileSystem().list(folder.path + "/partial")) ?? [] }

    @Test func theBeginningOfAnEarlierLoadIsUsed() async throws {
        let fixture = try fixture(keeps: true)
        fixture.server.on("/a", ranges(of: picture, cut: 20_000))
        #expect(await fixture.failure("/a")?.code == .incompleteBody)
        #expect(names.count == 1)
        let later = CurlLoader(configuration: fixture.loader.configuration)
        let sink = BodySink()
        _ = try await later.load(fixture.request("/a"), into: sink)
        #expect([UInt8](try sink.finish()) == picture)
        #expect(sink.head?.expectedLength == picture.count)
        #expect(fixture.server.requests.last?.header("Range") == "bytes=20000-")
        #expect(names.isEmpty)
    }

    @Test func aBodyInAFileIsContinuedToo() async throws {
        let fixture = try fixture(keeps: true)
        fixture.server.on("/a", ranges(of: picture, cut: 20_000))
        var files = BodyFiles(folder: folder.path + "/bodies")
        files.threshold = 10_000
        let cut = BodySink(files: files)
        await #expect(throws: ImageError.self) {
            _ = try await fixture.loader.load(fixture.request("/a"), into: cut)
        }
        #expect(names.count == 1)
        let sink = BodySink(files: files)
        _ = try await fixture.loader.load(fixture.request("/a"), into: sink)
        #expect([UInt8](try sink.finish()) == picture)
        #expect(fixture.server.requests.last?.header("Range") == "bytes=20000-")
    }

    @Test func whatWasCancelledIsKeptToo() async throws {
        let fixture = try fixture(keeps: true)
        let (first, later) = (
            Script.ok(picture).with("ETag", "\"1\"").gated("go", afterBody: 30_000), ranges(of: picture)
        )
        fixture.server.on("/a") { $0.ordinal == 1 ? first : later($0) }
        let arrived = Gate()
        let sink = BodySink(
            url: nil, limit: .unlimited, budget: BodyBudget(capacity: .unlimited),
            judge: { (_, _) throws(ImageError) in true },
            onProgress: { received, _ in if received == 30_000 { Task { await arrived.pass() } } })
        let task = Task { try await fixture.loader.load(fixture.request("/a"), into: sink) }
        await arrived.waitForArrivals(1)
        sink.cancel(.cancelled(.load))
        task.cancel()
        await #expect(throws: ImageError.self) { _ = try await task.value }
        arrived.open()
        #expect([UInt8](try await fixture.body("/a").data) == picture)
        #expect(fixture.server.requests.last?.header("Range") == "bytes=30000-")
    }

    @Test func whatCameIsKeptWhenTheLoaderIsShutDown() async throws {
        let fixture = try fixture(keeps: true)
        fixture.server.on("/a", Script.ok(picture).with("ETag", "\"1\"").gated("go", afterBody: 30_000))
        let arrived = Gate()
        let sink = BodySink(
            url: nil, limit: .unlimited, budget: BodyBudget(capacity: .unlimited),
            judge: { (_, _) throws(ImageError) in true },
            onProgress: { received, _ in if received == 30_000 { Task { await arrived.pass() } } })
        let task = Task { try await fixture.loader.load(fixture.request("/a"), into: sink) }
        await arrived.waitForArrivals(1)
        await fixture.loader.shutdown()
        #expect(names.count == 1)
        let error = await #expect(throws: ImageError.self) { _ = try await task.value }
        #expect(error?.code == .shutDown)
        arrived.open()
    }

    @Test func aServerThatCannotBeReachedCostsNoBeginning() async throws {
        let fixture = try fixture(keeps: true)
        fixture.server.on("/a", ranges(of: picture, cut: 20_000))
        _ = await fixture.failure("/a")
        fixture.server.on("/a", .reset)
        #expect(await fixture.failure("/a")?.code == .network)
        #expect(names.count == 1)
        fixture.server.on("/a", .failure(404))
        #expect(await fixture.failure("/a")?.httpStatus == 404)
        #expect(names.isEmpty)
    }

    @Test func whatCarriesASecretIsNotKept() async throws {
        let fixture = try fixture(keeps: true)
        fixture.server.on("/a", ranges(of: picture, cut: 20_000))
        for fields: HTTPHeaders in [["Authorization": "Bearer x"], ["Cookie": "a=b"], ["X-Key": "1"]] {
            _ = await fixture.failure("/a") { $0.headers = fields }
        }
        #expect(names.isEmpty)
    }

    @Test func whatNobodyWantedIsNotKept() async throws {
        let fixture = try fixture(keeps: true)
        fixture.server.on("/a", ranges(of: picture))
        #expect(await fixture.failure("/a") { $0.bodyLimit = 10_000 }?.code == .bodyLimit)
        #expect(names.isEmpty)
    }

    // MARK: - The folder

    private func store(_ change: (inout PartialDownloads) -> Void = { _ in }, now: Double? = nil)
        -> PartialStore
    {
        var settings = PartialDownloads(folder: folder.path + "/partial")
        settings.smallest = 1
        change(&settings)
        let time = now.map { now in TimeSource(secondsSince1970: { now }, monotonic: { .zero }) }
        return PartialStore(settings, time: time ?? .system)
    }

    private let bytes = Data(repeating: 9, count: 1000)
    private let body = PartialBody(tag: "\"1\"", total: 5000, count: 1000)

    @Test func aBeginningIsTakenOnce() {
        store().put(bytes, body, "a")
        #expect(store().take("b") == nil)
        let kept = store().take("a")
        #expect(kept?.data == bytes)
        #expect(kept?.body == body)
        #expect(store().take("a") == nil)
        #expect(names.isEmpty)
    }

    @Test func theFolderIsBounded() throws {
        let store = store {
            $0.capacity = 5000
            $0.countLimit = 3
        }
        for number in 0..<20 {
            store.put(bytes, body, "\(number)")
            #expect(names.count <= 3)
        }
        #expect(store.take("19") != nil)
        store.put(
            Data(repeating: 1, count: 6000), PartialBody(tag: "\"1\"", total: 9000, count: 6000), "large")
        #expect(store.take("large") == nil)
    }

    @Test func whatIsOldIsGone() throws {
        store().put(bytes, body, "a")
        let later = TimeSource.system.secondsSince1970() + 90_000
        #expect(store(now: later).take("a") == nil)
        store().put(bytes, body, "b")
        store({ $0.ageLimit = .seconds(-1) }).put(bytes, body, "c")
        #expect(names.isEmpty)
    }

    @Test func aDamagedFileIsNone() throws {
        store().put(bytes, body, "a")
        let path = folder.path + "/partial/" + (try #require(names.first))
        let whole = try Data(contentsOf: URL(filePath: path))
        for count in [0, 7, 8, 30, 40, 44, whole.count - 1] {
            try whole.prefix(count).write(to: URL(filePath: path))
            #expect(store().take("a") == nil)
        }
        for index in [0, 9, 16, 17, 23, 24, 31, 32, 39, 40, 41, 60] {
            var damaged = whole
            damaged[index] ^= 0x80
            try damaged.write(to: URL(filePath: path))
            #expect(store().take("a") == nil)
        }
        try whole.write(to: URL(filePath: path))
        #expect(store().take("a") != nil)
    }

    @Test func aFolderThatOthersMayWriteToIsNotUsed() throws {
        store().put(bytes, body, "a")
        chmod(folder.path + "/partial", 0o777)
        #expect(store().take("a") == nil)
        store().put(bytes, body, "b")
        #expect(names.isEmpty)
        chmod(folder.path + "/partial", 0o700)
        store().put(bytes, body, "b")
        #expect(names.count == 1)
        PartialDownloads(folder: folder.path + "/partial").removeAll()
        #expect(names.isEmpty)
    }

    @Test func aFolderThatCannotBeMadeIsNoFailure() async throws {
        let fixture = try fixture(keeps: true) {
            $0.partialDownloads?.folder = "/proc/nowhere/partial"
            $0.retryPolicy = .none
        }
        fixture.server.on("/a", ranges(of: picture, cut: 20_000))
        #expect(await fixture.failure("/a")?.code == .incompleteBody)
    }
}
