// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing

@testable import WebImageTool

@Suite struct ToolInfoTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    private func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(filePath: runner.path(name)))
        return runner.path(name)
    }

    @Test func oneArrayHasAnObjectForEachInputInOrder() async throws {
        let picture = try write("a.png", pam(5, 3))
        let html = try write("b.png", Array("<html>".utf8))
        let foreign = try write("c.png", Array("8BPS\u{0}\u{1}".utf8))
        let outcome = try await runner.run("info", "--json", html, picture, foreign, runner.path("missing"))
        #expect(outcome.status == 1)
        #expect(outcome.sentences.count == 3)
        struct Answer: Decodable {
            struct Failure: Decodable {
                let code: String
                let message: String
            }
            let path: String
            let format: String?
            let width: Int?
            let error: Failure?
        }
        let answers = try JSONDecoder().decode([Answer].self, from: outcome.output)
        #expect(answers.map(\.path) == [html, picture, foreign, runner.path("missing")])
        #expect(answers.map(\.format) == [nil, "pam", "psd", nil])
        #expect(answers.map(\.width) == [nil, 5, nil, nil])
        #expect(answers.map(\.error?.code) == ["notAnImage", nil, "unsupportedFormat", "fileNotFound"])
    }

    @Test func peopleGetALineForEachPicture() async throws {
        let picture = try write("a", pam(5, 3))
        let outcome = try await runner.run("info", picture, "-", input: Data(pam(2, 2)))
        #expect(outcome.status == 0)
        #expect(outcome.text == "\(picture): pam 5x3, 8 bits, alpha\n-: pam 2x2, 8 bits, alpha\n")
    }

    @Test(arguments: [
        (65_536, 1, "over the default limit of 65535 pixels for a side"),
        (20_000, 20_000, "over the default limit of 128000000 pixels"),
    ])
    func aPictureThatNoDecodeWillTakeHasANote(width: Int, height: Int, note: String) async throws {
        let header = "P7\nWIDTH \(width)\nHEIGHT \(height)\nDEPTH 1\nMAXVAL 255\nENDHDR\n"
        let picture = try write("a", Array(header.utf8))
        let line = try await runner.run("info", picture)
        #expect(line.status == 0)
        #expect(line.text == "\(picture): pam \(width)x\(height), 8 bits, \(note)\n")
        let json = try await runner.run("info", "--json", picture)
        #expect(json.text.contains("\"note\": \"\(note)\""))
    }

    @Test func aLocalFileTouchesNoCacheFolder() async throws {
        let picture = try write("a", pam(5, 3))
        #expect(try await runner.run("info", picture).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: runner.folder) == ["a"])
    }

    @Test func odditiesAmongFilesAreErrorsOfTheirOwn() async throws {
        let empty = try write("empty", [])
        for (input, text) in [
            (empty, "There are no bytes"), (runner.folder, "Is a directory"),
            ("", "A file without a name cannot be opened: No such file or directory"),
            (empty + "/x", "Not a directory"),
        ] {
            let outcome = try await runner.run("info", input)
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.sentences.count == 1)
            #expect(outcome.complaints.contains(text))
        }
    }
}

private let corpus = ProcessInfo.processInfo.environment["WEBIMAGE_CORPUS"]

/// What the corpus says of its pictures, where one is given.
@Suite(.enabled("WEBIMAGE_CORPUS names no corpus") { corpus != nil })
struct ToolCorpusTests {

    private struct Entry: Decodable {
        let path: String
        let format: String
        let expect: String
        let width: Int?
        let height: Int?
        let displayWidth: Int?
        let orientation: Int?
        let ambiguousOrientation: Bool?
        let sniffOnly: Bool?
    }

    private struct Answer: Decodable {
        let path: String
        let format: String?
        let width: Int?
        let height: Int?
        let displayWidth: Int?
        let orientation: Int?
    }

    @Test func infoNamesEveryFormatAndEverySoundSize() async throws {
        let runner = try ToolRunner()
        let folder = try #require(corpus)
        let manifest = try Data(contentsOf: URL(filePath: folder + "/manifest.json"))
        let entries = try JSONDecoder().decode([Entry].self, from: manifest)
        let outcome = try await runner.run(
            [RawText("info"), "--json"] + entries.map { RawText("\(folder)/\($0.path)") })
        #expect(outcome.status == 1, "some files of the corpus are no pictures")
        let answers = try JSONDecoder().decode([Answer].self, from: outcome.output)
        #expect(answers.count == entries.count)
        for (entry, answer) in zip(entries, answers) where entry.expect == "decode" { check(entry, answer) }
    }

    private func check(_ entry: Entry, _ answer: Answer) {
        let names = ["apng": "png", "webp-anim": "webp"]
        guard entry.format != "isobmff", entry.format != "unknown", entry.format != "gzip" else { return }
        #expect(answer.format == names[entry.format] ?? entry.format, "\(entry.path)")
        guard ["jpeg", "png", "apng"].contains(entry.format), entry.sniffOnly != true else { return }
        #expect(answer.width == entry.width, "\(entry.path)")
        #expect(answer.height == entry.height, "\(entry.path)")
        if entry.ambiguousOrientation != true {
            #expect(answer.displayWidth == entry.displayWidth, "\(entry.path)")
            #expect(answer.orientation == entry.orientation, "\(entry.path)")
        }
    }
}
