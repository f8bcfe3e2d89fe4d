// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

@testable import WebImageTool

@Suite struct ToolCacheTests {
    private let runner: ToolRunner
    private let cache: DiskCache
    private let folder: String
    private let picture: Data
    private let url = "https://host/album/1.png"
    private let thumbnail = [KeyPart("thumbnail", "30x20")]

    private struct Listed: Decodable {
        let key: String
        let url: String
        let parts: [String: String]
        let bytes: Int
        let contentType: String?
        let entityTag: String?
        let width: Int?
    }
    private struct Removed: Decodable { let removedEntries: Int }
    private struct Verified: Decodable {
        struct Damage: Decodable { let file: String }
        let entries: Int
        let damaged: [Damage]
    }

    init() throws {
        runner = try ToolRunner()
        folder = runner.path("cache")
        cache = DiskCache(configuration: DiskCacheConfiguration(root: folder))
        picture = Data(try ImageFactory.encoded(try ImageFactory.photoLike(6, 4), .png, by: PNGCoder()))
        let metadata = EntryMetadata(
            storedAt: 1_000_000_000, contentType: "image/png", validators: Validators(entityTag: "\"1\""))
        for key in [CacheKey(url), CacheKey(url, parts: thumbnail), CacheKey("https://host/album/2.png")] {
            try cache.store(picture, metadata: metadata, for: key)
        }
        try cache.store(
            Data([1]), metadata: EntryMetadata(storedAt: 0), for: CacheKey("https://other/\u{1B}[2J"))
    }

    private func run(_ words: String...) async throws -> ToolRunner.Outcome {
        try await runner.run((["cache"] + words + ["--cache", folder]).map { RawText($0) })
    }

    private func decoded<Value: Decodable>(_ type: Value.Type, _ outcome: ToolRunner.Outcome) throws -> Value
    {
        try JSONDecoder().decode(type, from: outcome.output)
    }

    @Test func aListHasALineForEachPictureAndNoTerminalObeysIt() async throws {
        let outcome = try await run("list")
        #expect(outcome.status == 0)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.contains { $0.contains(" image/png  \(url) thumbnail(30x20)") })
        #expect(!outcome.text.contains("\u{1B}"))
        let listed = try decoded([Listed].self, try await run("list", "--json"))
        #expect(Set(listed.map(\.url)) == ["https://host/album/2.png", url, "https://other/\u{1B}[2J"])
        #expect(listed.contains { $0.url == url && $0.parts == ["thumbnail": "30x20"] })
        #expect(listed.filter { $0.bytes == picture.count }.count == 3)
        try cache.clear()
        #expect(try decoded([Listed].self, try await run("list", "--json")).isEmpty)
    }

    @Test func aURLShowsAllThatWasMadeOfItAndAKeyOne() async throws {
        let all = try decoded([Listed].self, try await run("show", url, "--json"))
        #expect(Set(all.map(\.key)) == [url, url + " thumbnail(30x20)"])
        #expect(all.allSatisfy { $0.width == 6 && $0.entityTag == "\"1\"" && $0.contentType == "image/png" })
        let one = try await run("show", url + " thumbnail(30x20)")
        #expect(one.status == 0)
        #expect(one.text.contains("picture:        png 6x4\n"))
        #expect(one.text.contains("stored:         2001-09-09T01:46:40Z\n"))
        #expect(one.text.split(separator: "\n").filter { $0.hasPrefix("key:") }.count == 1)
        let none = try await run("show", "https://host/none.png")
        #expect(none.status == 1)
        #expect(none.sentences.count == 1)
        #expect(none.complaints.hasPrefix("webimage: https://host/none.png: "))
    }

    @Test func picturesAreRemovedByURLKeyAndPrefix() async throws {
        let one = try await run("remove", url + " thumbnail(30x20)", "--json")
        #expect(try decoded(Removed.self, one).removedEntries == 1)
        #expect(cache.contains(CacheKey(url)))
        let album = try await run("remove", "--prefix", "https://host/album/", "https://nowhere/")
        #expect(album.status == 1)
        #expect(album.text.contains("removed 2 pictures"))
        #expect(album.sentences.count == 1)
        #expect(cache.totalSize.count == 1)
    }

    @Test func trimmingTakesExpiredPicturesAndLeavesAHalfFullCacheAlone() async throws {
        for words in [["trim"], ["trim", "--expired"]] {
            let outcome = try await runner.run(
                (["cache"] + words + ["--cache-dir", folder]).map { RawText($0) })
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("removed 0 pictures"))
        }
    }

    @Test func verifyingNamesDamagedFilesFailsAndRemovesNothing() async throws {
        #expect(try await run("verify").status == 0)
        let path = cache.path(for: CacheKey(url))
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        let outcome = try await run("verify", "--json")
        #expect(outcome.status == 1)
        let verified = try decoded(Verified.self, outcome)
        #expect(verified.entries == 3)
        #expect(verified.damaged.map(\.file) == [path])
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.contains(path))
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try await run("verify").text.contains("3 pictures are good, 1 files damaged"))
    }

    @Test(arguments: [
        ["cache"], ["cache", "show"], ["cache", "remove"], ["cache", "list", "x"],
        ["cache", "stats", "--prefix"],
        ["cache", "clear", "--expired"], ["cache", "polish"],
    ])
    func whatCannotBeMeantIsAUsageError(_ words: [String]) async throws {
        let outcome = try await runner.run(words.map { RawText($0) })
        #expect(outcome.status == 2)
        #expect(outcome.sentences.count == 1)
        #expect(outcome.output.isEmpty)
    }
}
