// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing

@testable import WebImageTool

struct ToolFramesTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    private func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(filePath: runner.path(name)))
        return runner.path(name)
    }

    private func read(_ name: String) -> Data? { try? Data(contentsOf: URL(filePath: runner.path(name))) }

    /// Two frames of one pixel, red and then green, shown for 50 ms and 70 ms.
    private var animation: [UInt8] {
        var bytes: [UInt8] = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 255, 0]
        for (index, delay) in [(0x44, 5), (0x4C, 7)] as [(UInt8, UInt8)] {
            bytes += [0x21, 0xF9, 4, 0, delay, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, index, 1, 0]
        }
        return bytes + [0x3B]
    }

    private func pixel(_ name: String) -> [UInt8]? { read(name).map { Array($0.suffix(4)) } }

    @Test func `each frame becomes a file, counted from 1`() async throws {
        let outcome = try await runner.run("frames", try write("a.gif", animation), runner.path("f-%03d.pam"))
        #expect(outcome.status == 0 && outcome.complaints.isEmpty && outcome.output.isEmpty)
        #expect(pixel("f-001.pam") == [255, 0, 0, 255] && pixel("f-002.pam") == [0, 255, 0, 255])
        #expect(read("f-003.pam") == nil)
    }

    @Test func `machines are told names and durations`() async throws {
        let outcome = try await runner.run(
            "frames", "--json", "-f", "png", try write("a.gif", animation), runner.path("%d"))
        struct Answer: Decodable, Equatable {
            let output: String
            let width: Int
            let durationMs: Double
        }
        let answers = try JSONDecoder().decode([Answer].self, from: outcome.output)
        #expect(
            answers == [
                Answer(output: runner.path("1"), width: 1, durationMs: 50),
                Answer(output: runner.path("2"), width: 1, durationMs: 70),
            ])
        #expect(read("2")?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
    }

    @Test func `a still gives one file, and what is no picture a sentence`() async throws {
        let still = try await runner.run("frames", try write("a.pam", pam(2, 2)), runner.path("s%d.pam"))
        #expect(still.status == 0 && read("s1.pam") == Data(pam(2, 2)))
        let text = try write("b", Array("<html>".utf8))
        let failed = try await runner.run("frames", text, runner.path("t%d.pam"))
        #expect(failed.status == 1 && failed.sentences.count == 1 && read("t1.pam") == nil)
    }

    @Test func `an animation stays one where the format holds it, at any size`() async throws {
        let input = try write("a.gif", animation)
        for arguments in [[], ["--resize", "3x2", "--fit", "fill"]] {
            let outcome = try await runner.run(
                (["convert", input, runner.path("b.gif")] + arguments).map { RawText($0) })
            #expect(outcome.status == 0)
            let frames = try await runner.run("frames", runner.path("b.gif"), runner.path("g%d.pam"))
            #expect(frames.status == 0)
            #expect(pixel("g1.pam") == [255, 0, 0, 255] && pixel("g2.pam") == [0, 255, 0, 255])
        }
        #expect(try await runner.run("convert", input, runner.path("b.pam")).status == 0)
        #expect(pixel("b.pam") == [255, 0, 0, 255])
    }

    @Test func `patterns need one place for the number`() throws {
        #expect(try NumberedName("a%03d.png")(7) == "a007.png")
        #expect(try NumberedName("%%%2d%%")(7) == "% 7%")
        #expect(try NumberedName("%03d")(12_345) == "12345")
        for pattern: RawText in ["a.png", "%d%d.png", "%s.png", "a%", "%999d.png", "%3%.png"] {
            #expect(throws: UsageError.self) { try NumberedName(pattern) }
        }
    }

    @Test func `a wrong command line is told so`() async throws {
        for arguments in [["a.gif"], ["a.gif", "b.png"], ["a.gif", "%d"], ["http://h/a.gif", "%d.png"]] {
            let outcome = try await runner.run((["frames"] + arguments).map { RawText($0) })
            #expect(outcome.status == 2 && outcome.sentences.count == 1)
        }
    }
}
