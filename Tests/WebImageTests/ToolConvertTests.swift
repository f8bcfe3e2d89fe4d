// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WebImage

@testable import WebImageTool

@Suite struct ToolConvertTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    private func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(filePath: runner.path(name)))
        return runner.path(name)
    }

    private func read(_ name: String) -> Data? { try? Data(contentsOf: URL(filePath: runner.path(name))) }

    @Test func pixelsSurviveTheWayThroughPNG() async throws {
        let source = try write("a.pam", pam(5, 3))
        let there = try await runner.run("convert", source, runner.path("b.png"))
        let back = try await runner.run("convert", runner.path("b.png"), runner.path("c.PAM"))
        #expect(there.status == 0)
        #expect(back.status == 0)
        #expect(there.complaints.isEmpty)
        #expect(read("b.png")?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        #expect(read("c.PAM") == Data(pam(5, 3)))
    }

    @Test func standardInputAndOutputArePlacesToo() async throws {
        let outcome = try await runner.run("convert", "-", "-", "--format", "png", input: Data(pam(5, 3)))
        #expect(outcome.status == 0)
        let back = try await runner.run("convert", "-fpam", "-", "-", input: outcome.output)
        #expect(back.output == Data(pam(5, 3)))
    }

    @Test func manyInputsGoIntoAFolderAndAFailureStopsNone() async throws {
        let good = try write("a.pam", pam(2, 2))
        let bad = try write("b.png", Array("<html>".utf8))
        let empty = try write("c.png", [])
        let out = runner.path("made/out")
        let outcome = try await runner.run(
            "convert", "--to", out, "--format", "png", bad, good, runner.path("missing"), empty)
        #expect(outcome.status == 1)
        #expect(outcome.sentences.count == 3)
        for (sentence, input) in zip(outcome.sentences, [bad, runner.path("missing"), empty]) {
            #expect(sentence.hasPrefix("webimage: \(input)"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: out)
        #expect(names == [RawText(good).flattened.text + ".png"])
    }

    @Test func twoInputsOfOneNameAreNotMixedUp() async throws {
        try FileManager.default.createDirectory(atPath: runner.path("a"), withIntermediateDirectories: false)
        let first = try write("a/b.pam", pam(1, 1))
        let twin = try write("a__b.pam", pam(2, 2))
        let outcome = try await runner.run("convert", "--to", runner.path("out"), "-f", "pam", first, twin)
        #expect(outcome.status == 1)
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.hasPrefix("webimage: \(twin) would overwrite"))
        #expect(read("out/" + RawText(first).flattened.text + ".pam") == Data(pam(1, 1)))
    }

    @Test func jsonTellsEveryInput() async throws {
        let source = try write("a.pam", pam(5, 3))
        let outcome = try await runner.run(
            "convert", "--json", "--to", runner.path("out"), "--format", "pam", source, "/nowhere")
        #expect(outcome.status == 1)
        let output = runner.path("out/") + RawText(source).flattened.text + ".pam"
        #expect(
            outcome.text == """
                [
                  {
                    "input": "\(source)",
                    "output": "\(output)",
                    "format": "pam",
                    "width": 5,
                    "height": 3,
                    "bytes": \(pam(5, 3).count),
                    "isPartial": false
                  },
                  {
                    "input": "/nowhere",
                    "error": {
                      "code": "fileNotFound",
                      "message": "/nowhere cannot be opened: No such file or directory."
                    }
                  }
                ]

                """)
    }

    @Test func anOutputThatCannotBeWrittenIsNamed() async throws {
        let source = try write("a.pam", pam(1, 1))
        let outcome = try await runner.run("convert", source, runner.path("missing/b.png"))
        #expect(outcome.status == 1)
        let expected = "\(runner.path("missing/b.png")) cannot be written: No such file or directory."
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.contains(expected))
    }

    @Test func aFormatWithoutEncoderIsNamed() async throws {
        let source = try write("a.pam", pam(1, 1))
        for arguments in [
            [source, runner.path("b.tiff")], [source, runner.path("b"), "-f", "tiff"],
            ["--to", runner.path("folder"), "-f", "tiff", source],
        ] {
            let outcome = try await runner.run((["convert"] + arguments).map { RawText($0) })
            #expect(outcome.status == 2)
            #expect(outcome.complaints.hasPrefix("webimage: tiff cannot be written; "))
            for format in CodersManager.standard().encodableFormats {
                #expect(outcome.complaints.contains(format.name))
            }
        }
        #expect(read("b.tiff") == nil && read("b") == nil && read("folder") == nil)
    }

    @Test func aCutPictureIsWrittenWithAWarning() async throws {
        let source = try write("a.pam", Array(pam(50, 50).dropLast(4000)))
        let outcome = try await runner.run("convert", source, runner.path("b.png"))
        #expect(outcome.status == 0)
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.contains("part of the picture is missing"))
        #expect(read("b.png") != nil)
    }

    @Test func aNameThatIsNoUTF8IsConverted() async throws {
        let source = RawText(Array(runner.path("bad").utf8) + [0xFF])
        let output = RawText(source.bytes + Array(".png".utf8))
        try OutputFile.write(Data(pam(1, 1)), to: source)
        let outcome = try await runner.run(["convert", source, output])
        #expect(outcome.status == 0)
        #expect(try InputFile.contents(of: output).starts(with: [0x89, 0x50]))
    }

    @Test func resizeFitsIntoTheBox() async throws {
        let source = try write("a.pam", pam(40, 20))
        for (arguments, size) in [
            (["--resize", "10x10"], "10x5"), (["-r", "x10"], "20x10"), (["-r100x"], "40x20"),
            (["-r", "10x10", "--fit", "cover"], "10x10"), (["-r", "50x10", "--fit=fill"], "50x10"),
        ] {
            let inputs = ["convert", source, runner.path("b.png")] + arguments
            let outcome = try await runner.run(inputs.map { RawText($0) })
            #expect(outcome.status == 0)
            let line = try await runner.run("info", runner.path("b.png")).text
            #expect(line.hasPrefix("\(runner.path("b.png")): png \(size),"))
        }
    }
}
