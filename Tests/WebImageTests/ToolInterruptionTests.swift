// SPDX-License-Identifier: MIT
import FoundationEssentials
import Glibc
import Testing
import WITestKit

@testable import WebImageTool

@Suite(.timeLimit(.minutes(5))) struct ToolInterruptionTests {
    private let runner: ToolRunner

    init() throws { runner = try ToolRunner() }

    private var leftovers: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: runner.folder)) ?? []).filter {
            $0.contains("webimage-")
        }
    }

    /// Reads up to the first sample that was loaded: its picture lies in the cache, or is on its way there.
    private static func readUntilLoaded(_ output: Int32) {
        var text: [UInt8] = [], byte: UInt8 = 0
        while !String(decoding: text, as: UTF8.self).contains("  ok "), read(output, &byte, 1) == 1 {
            text.append(byte)
        }
        #expect(String(decoding: text, as: UTF8.self).contains("  ok "))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func anInterruptedDemoLeavesNothingBehindAndEndsByTheSignal(number: Int32) async throws {
        let status = try await runner.start("demo", "-o", runner.path("out.png")) { pid, output in
            Self.readUntilLoaded(output)
            kill(pid, number)
        }
        #expect(status == -number)
        #expect(leftovers.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: runner.path("out.png")))
    }

    @Test func aDemoWhoseOutputNobodyReadsEndsAsCommandsInAPipeDo() async throws {
        let status = try await runner.start("demo", "-o", runner.path("out.png")) { _, output in
            Self.readUntilLoaded(output)
            // The number stays taken, so that whoever made it can close it.
            let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
            dup2(null, output)
            close(null)
        }
        #expect(status == -SIGPIPE)
        #expect(leftovers.isEmpty)
    }

    @Test(arguments: [("-", 2), ("", 2), ("missing/a.png", 1), ("folder", 1)])
    func aDemoKnowsBeforeItsWorkThatItsOutputCannotBe(name: String, status: Int32) async throws {
        mkdir(runner.path("folder"), 0o700)
        let output = name.count < 2 ? name : runner.path(name)
        let outcome = try await runner.run("demo", "-o", output)
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        #expect(outcome.sentences.count == 1)
    }

    @Test func whatIsNotedGoesAndWhatIsForgottenStays() throws {
        let leftovers = Leftovers()
        let folder = RawText(runner.path("folder"))
        leftovers.noting(folder) { _ = mkdir(runner.path("folder"), 0o700) }
        for name in ["folder/a", "kept", "gone"] {
            leftovers.noting(RawText(runner.path(name))) {
                _ = close(open(runner.path(name), O_CREAT | O_WRONLY, 0o600))
            }
        }
        leftovers.forget(RawText(runner.path("kept")))
        leftovers.noting(RawText(runner.path("never there"))) {}
        leftovers.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: runner.folder) == ["kept"])
    }
}
