// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

@testable import WebImageTool

@Suite struct ToolStreamTests {
    private let runner: ToolRunner
    private let picture: Data

    init() throws {
        runner = try ToolRunner()
        picture = Data(try ImageFactory.encoded(try ImageFactory.gradient(8, 8), .png, by: PNGCoder()))
    }

    @Test func resultsWithoutStandardOutputAreAFailureAndGoNowhereElse() async throws {
        let server = try ScriptedServer()
        server.on("/a.png", .ok(Array(picture), type: "image/png"))
        // The loader keeps descriptors open while results are told.
        let outcome = try await runner.run(
            [RawText("load"), RawText(server.baseURL + "/a.png")], closed: [1])
        #expect(outcome.status == 1)
        #expect(outcome.sentences.count == 1)
        #expect(outcome.complaints.contains("standard output"))
        #expect(outcome.complaints.contains("Bad file descriptor"))
    }

    @Test func inputThatIsClosedIsAnErrorAndNotAnEmptyPicture() async throws {
        let outcome = try await runner.run(
            [RawText("convert"), RawText("-"), RawText(runner.path("a.png"))], closed: [0])
        #expect(outcome.status == 1)
        #expect(outcome.complaints.contains("standard input cannot be read: Bad file descriptor"))
    }

    @Test func aFileIsWrittenWholeWhateverIsClosed() async throws {
        try picture.write(to: URL(filePath: runner.path("a.png")))
        let outcome = try await runner.run(
            [RawText("convert"), RawText(runner.path("a.png")), RawText(runner.path("b.png"))],
            closed: [0, 1, 2])
        #expect(outcome.status == 0)
        let written = try Data(contentsOf: URL(filePath: runner.path("b.png")))
        #expect(
            try PNGCoder().decode(written, DecodeOptions(), WorkContext()).size
                == PixelSize(width: 8, height: 8))
    }
}
