// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing

@testable import WebImageTool

@Suite struct ToolCommandLineTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    @Test(arguments: [
        [], ["nope"], ["--nope"], ["info"], ["convert"], ["convert", "a"], ["convert", "a", "b.xyz"],
        ["convert", "--to", "d", "a"], ["convert", "http://h/a.png", "b.png"], ["load"],
        ["load", "http://h/", "--quality=3"], ["load", "http://h/", "http://i/", "-o", "-"],
        ["load", "http://h/", "--json", "-o", "-"], ["cache"], ["cache", "nope"], ["--json"],
        ["help", "nope"],
    ])
    func aWrongCommandLineEndsWith2AndOneSentence(arguments: [String]) async throws {
        let outcome = try await runner.run(arguments.map { RawText($0) })
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.hasPrefix("webimage: "))
    }

    @Test func helpAndVersionGoToStandardOutput() async throws {
        for arguments in [
            ["--help"], ["-h"], ["help"], ["help", "info"], ["info", "--help"], ["cache", "-h"],
        ] {
            let outcome = try await runner.run(arguments.map { RawText($0) })
            #expect(outcome.status == 0)
            #expect(outcome.text.hasPrefix("Usage: webimage"))
            #expect(outcome.complaints.isEmpty)
        }
        #expect(try await runner.run("--version").text == "webimage \(WebImageTool.version)\n")
        let json = try await runner.run("--version", "--json").text
        #expect(json == "{\n  \"version\": \"\(WebImageTool.version)\"\n}\n")
    }

    @Test func aFullStandardOutputIsAFailure() async throws {
        let outcome = try await runner.run(
            "convert", "--format=pam", "-", "/dev/full", input: Data(pam(2, 2)))
        #expect(outcome.status == 1)
        #expect(outcome.complaints.contains("/dev/full cannot be written: No space left on device."))
    }
}

/// A picture in Netpbm's P7 form, every pixel other than its neighbours.
func pam(_ width: Int, _ height: Int) -> [UInt8] {
    let header = "P7\nWIDTH \(width)\nHEIGHT \(height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
    let pixels = (0..<(width * height * 4)).map { UInt8(truncatingIfNeeded: $0 % 4 == 3 ? 255 : $0 * 7) }
    return Array(header.utf8) + pixels
}
