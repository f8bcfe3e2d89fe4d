// SPDX-License-Identifier: MIT
import FoundationEssentials
import Glibc
import Testing
import WITestKit
import WebImage

@testable import WebImageTool

@Suite struct ToolCacheFolderTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    @Test(arguments: ["stats", "clear"]) func aCacheFolderThatIsNoneIsAFailure(word: String) async throws {
        let file = runner.path("file")
        try Data("x".utf8).write(to: URL(filePath: file))
        symlink("file", runner.path("link"))
        for name in ["file", "link"] {
            let outcome = try await runner.run("cache", word, "--cache-dir", runner.path(name))
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.sentences.count == 1)
            #expect(outcome.complaints.contains("“\(runner.path(name))” is no folder"))
        }
        #expect(try Data(contentsOf: URL(filePath: file)) == Data("x".utf8))
    }

    @Test func aLoadSucceedsWithoutTheCacheThatItMayNotUse() async throws {
        let folder = runner.path("cache")
        mkdir(folder, 0o700)
        chmod(folder, 0o777)
        let server = try ScriptedServer()
        let picture = try ImageFactory.encoded(try ImageFactory.gradient(8, 8), .png, by: PNGCoder())
        server.on("/a.png", .ok(picture, type: "image/png"))
        let outcome = try await runner.run("load", server.baseURL + "/a.png", "--cache-dir", folder)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("8x8 png"))
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.contains("“\(folder)” may be written by everybody"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
}
