// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

@testable import WebImageTool

@Suite struct ToolLoadTests {
    private let runner: ToolRunner
    private let server: ScriptedServer
    private let photo: [UInt8]
    /// Drawn once for all tests.
    private static let photo = Result {
        try ImageFactory.encoded(try ImageFactory.photoLike(640, 480), .jpeg, by: JPEGCoder())
    }

    init() throws {
        runner = try ToolRunner()
        server = try ScriptedServer()
        photo = try Self.photo.get()
        server.on("/photo.jpg", .ok(photo, type: "image/jpeg"))
    }

    private var photoURL: String { server.baseURL + "/photo.jpg" }

    private func read(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: runner.path(name)))
    }

    @Test func theSecondRunMakesNoRequestAndWritesTheSamePicture() async throws {
        for (index, name) in ["a.png", "b.png"].enumerated() {
            let outcome = try await runner.run(
                "load", photoURL, "--resize", "300x300", "-o", runner.path(name))
            #expect(outcome.status == 0)
            #expect(outcome.complaints.isEmpty)
            #expect(outcome.text.hasPrefix("\(runner.path(name)): 300x225 png, "))
            #expect(outcome.text.contains(index == 0 ? "from the server in" : "from the disk cache in"))
        }
        #expect(server.count("/photo.jpg") == 1)
        #expect(try read("a.png") == read("b.png"))
    }

    @Test func anotherSizeIsMadeOfTheStoredOriginal() async throws {
        for (arguments, size) in [
            (["--resize=100x100"], "100x75"), (["--resize=64x64", "--fit=cover"], "64x64"),
            (["--resize=50x70", "--fit", "fill"], "50x70"), ([], "640x480"), (["-r", "x48"], "64x48"),
        ] {
            let all = ["load", photoURL, "-f", "png", "-o", runner.path("a")] + arguments
            let outcome = try await runner.run(all.map { RawText($0) })
            #expect(outcome.text.hasPrefix("\(runner.path("a")): \(size) png"))
        }
        #expect(server.count("/photo.jpg") == 1)
    }

    @Test func whatWasChangedIsFoundAgainUnderItsOwnKey() async throws {
        for (arguments, size, origin) in [
            (["--rotate=90", "--grayscale"], "480x640", "from the disk cache"),
            (["--grayscale", "--resize=20%"], "128x96", "from the disk cache"),
            (["--resize=64x", "--round=circle"], "48x48", "from the disk cache"),
        ] {
            for name in ["first.png", "second.png"] {
                let outcome = try await runner.run(["load", photoURL, "-o", runner.path(name)] + arguments)
                #expect(outcome.status == 0 && outcome.text.contains(" \(size) png"), "\(outcome.complaints)")
                if name == "second.png" { #expect(outcome.text.contains(origin)) }
            }
            #expect(try read("first.png") == read("second.png"))
        }
        #expect(server.count("/photo.jpg") == 1)
    }

    @Test func bytesThatNeedNoChangeAreWrittenAsTheyCame() async throws {
        let file = try await runner.run("load", photoURL, "-o", runner.path("copy.jpg"))
        #expect(file.status == 0)
        #expect(try read("copy.jpg") == Data(photo))
        let output = try await runner.run("load", photoURL, "-o", "-")
        #expect(output.output == Data(photo))
        #expect(output.complaints.isEmpty)
        let encoded = try await runner.run("load", photoURL, "--quality", "20", "-o", "-")
        #expect(encoded.output.count < photo.count)
        #expect(encoded.output.starts(with: [0xFF, 0xD8, 0xFF]))
    }

    @Test func aFormatThatNothingEncodesIsRefusedBeforeAnythingIsLoaded() async throws {
        let output = runner.path("a.tiff")
        for arguments in [
            ["-f", "tiff", "-o", output], ["-r", "5x5", "-o", output], ["-q", "5", "-o", output],
        ] {
            let outcome = try await runner.run((["load", photoURL] + arguments).map { RawText($0) })
            #expect(outcome.status == 2)
            #expect(outcome.complaints.contains("tiff cannot be written; "))
        }
        #expect(server.count("/photo.jpg") == 0)
        let outcome = try await runner.run("load", photoURL, "-o", output)
        #expect(outcome.status == 1)
        #expect(outcome.complaints.contains("The picture is jpeg and cannot be written as tiff"))
    }

    @Test func whatIsNoURLIsShownAsItWasTypedButForItsSecrets() async throws {
        for (typed, shown) in [
            ("http://exa mple/", "http://exa mple/"),
            ("http://me:secret@exa mple/a?token=secret", "http://…@exa mple/a?…"),
        ] {
            let outcome = try await runner.run("load", typed)
            #expect(outcome.status == 1)
            #expect(outcome.complaints.contains("“\(shown)” is no URL"))
            #expect(!outcome.complaints.contains("%20") && !outcome.complaints.contains("secret"))
        }
    }

    @Test func withoutCacheEveryRunAsksAndNothingIsKept() async throws {
        for count in 1...2 {
            let outcome = try await runner.run("load", photoURL, "--no-cache")
            #expect(outcome.status == 0)
            #expect(server.count("/photo.jpg") == count)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: runner.folder).isEmpty)
    }

    @Test func severalURLsGoIntoAFolderInTheirOrder() async throws {
        server.on("/slow/photo.png", .ok(photo).gated("slow"))
        server.on("/last", Script.ok(photo))
        let slow = server.baseURL + "/slow/photo.png"
        async let run = runner.run(
            "load", slow, photoURL, server.baseURL + "/last", "-o", runner.path("made/out"), "--timeout=600")
        await server.waitForRequest("/last")
        server.release("slow")
        let outcome = try await run
        #expect(outcome.status == 0)
        let folder = runner.path("made/out/")
        let lines = outcome.text.split(separator: "\n").map { $0.prefix { $0 != ":" } }
        #expect(lines == ["\(folder)photo.jpg", "\(folder)photo-2.jpg", "\(folder)last.jpg"].map { $0[...] })
        #expect(try read("made/out/photo-2.jpg") == Data(photo))
    }

    @Test func aFailureStopsNoOtherAndIsOneSentence() async throws {
        server.on("/html", .ok(Array("<html>no</html>".utf8), type: "image/jpeg"))
        server.on("/empty", .ok([]))
        server.on("/file", .redirect(to: "file:///etc/passwd"))
        server.on("/reset", .reset)
        let paths = ["/missing?token=secret", "/html", "/empty", "/file", "/reset", "/photo.jpg"]
        let urls = paths.map { server.baseURL + $0 } + ["ftp://h/x", ""]
        let outcome = try await runner.run((["load", "--json"] + urls).map { RawText($0) })
        #expect(outcome.status == 1)
        #expect(outcome.sentences.count == 7)
        #expect(!outcome.complaints.contains("secret"))
        struct Answer: Decodable {
            struct Failure: Decodable { let code: String }
            let url: String
            let width: Int?
            let origin: String?
            let error: Failure?
        }
        let answers = try JSONDecoder().decode([Answer].self, from: outcome.output)
        #expect(answers.map(\.url) == urls)
        #expect(
            answers.map(\.error?.code) == [
                "httpStatus", "notAnImage", "emptyData", "redirectRefused", "network", nil,
                "unsupportedScheme",
                "invalidURL",
            ])
        #expect(answers[5].width == 640)
        #expect(answers[5].origin == "loader")
    }

    @Test func aServerThatNeverAnswersIsGivenUp() async throws {
        server.on("/hang", .hang)
        let outcome = try await runner.run("load", server.baseURL + "/hang", "--timeout", "0.2")
        #expect(outcome.status == 1)
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.contains("/hang"))
    }

    @Test func aCacheThatCannotBeWrittenIsANoteAndNoFailure() async throws {
        try Data("x".utf8).write(to: URL(filePath: runner.path("file")))
        let outcome = try await runner.run(
            "load", photoURL, "--cache-dir", runner.path("file/cache"), "-o", runner.path("a.jpg"))
        #expect(outcome.status == 0)
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.hasPrefix("webimage: cache: "))
        #expect(try read("a.jpg") == Data(photo))
    }

    @Test func theCacheIsCountedAndEmptied() async throws {
        let folder = runner.path("cache")
        let empty = try await runner.run("cache", "stats", "--cache-dir", folder)
        #expect(empty.text.contains("pictures: 0\n"))
        #expect(!isDirectory(RawText(folder)), "looking makes no folder")
        _ = try await runner.run("load", photoURL, "--cache-dir", folder, "--resize=10x10")
        struct Stats: Decodable {
            let folder: String
            let entries: Int
            let bytes: Int
        }
        let stats = try await runner.run("cache", "stats", "--json", "--cache-dir", folder)
        let decoded = try JSONDecoder().decode(Stats.self, from: stats.output)
        #expect(decoded.folder == folder)
        #expect(decoded.entries == 2, "the original and the thumbnail")
        #expect(decoded.bytes > photo.count)
        let cleared = try await runner.run("cache", "clear", "--cache-dir", folder)
        #expect(cleared.status == 0)
        #expect(cleared.text.contains("removed 2 pictures"))
        _ = try await runner.run("load", photoURL, "--cache-dir", folder)
        #expect(server.count("/photo.jpg") == 2)
    }

    @Test func infoReadsAURLPastTheCache() async throws {
        let outcome = try await runner.run("info", photoURL, server.baseURL + "/missing")
        #expect(outcome.status == 1)
        #expect(outcome.text == "\(photoURL): jpeg 640x480, 8 bits\n")
        #expect(outcome.complaints.contains("404"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: runner.folder).isEmpty)
    }
}
