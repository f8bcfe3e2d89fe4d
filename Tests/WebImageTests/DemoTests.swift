// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import Testing
internal import WITestKit
internal import WebImage

@testable internal import WebImageTool

@Suite(.timeLimit(.minutes(5)))
struct DemoTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func samples(_ names: String...) -> [DemoSample] {
        names.compactMap { name in DemoSample.all.first { $0.name == name } }
    }

    private func run(_ samples: [DemoSample]) async -> (console: Console, sheet: RawText) {
        let console = Console()
        let sheet = RawText(folder.path + "/sheet.png")
        await runDemo(console, output: sheet, samples: samples, printsJSON: true)
        return (console, sheet)
    }

    @Test func goodAndBrokenSamplesEndAsTheyShould() async throws {
        let (console, sheet) = await run(
            samples(
                "heart.pam", "glass.png", "missing.png", "login.jpg", "reset.jpg", "silence.jpg", "bomb.png"
            ))
        #expect(!console.didFail)
        let data = try Data(contentsOf: URL(filePath: sheet.text))
        let picture = try CodersManager.standard().decode(data, DecodeOptions(), WorkContext())
        #expect(picture.format == .png)
        #expect(picture.size.width > 1000)
        #expect(picture.size.height > 400)
    }

    @Test func whatEndsOtherwiseThanMeantIsAFailure() async throws {
        let wrong = DemoSample("gone.png", "meant to come", .whole) { [("/gone.png", .failure(410))] }
        #expect(await run([wrong]).console.didFail)
    }

    @Test func aSheetThatCannotBeWrittenIsAFailure() async throws {
        let console = Console()
        await runDemo(
            console, output: RawText(folder.path + "/none/sheet.png"), samples: samples("heart.pam"),
            printsJSON: true)
        #expect(console.didFail)
    }

    @Test func theBombIsRefusedForItsSize() throws {
        let bomb = try #require(samples("bomb.png").first)
        let file = Data(try #require(try bomb.scripts().first).script.body)
        let error = #expect(throws: ImageError.self) {
            try CodersManager.standard().decode(file, DecodeOptions(), WorkContext())
        }
        #expect(error?.code == .dimensionLimit)
    }

    @Test func everySampleHasAPathOfItsOwnAndAPlaceInTheGrid() {
        let names = DemoSample.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count.isMultiple(of: 5))
        #expect(Set(DemoSample.all.map(\.expected)) == [.whole, .partial, .failed])
    }

    @Test func theTurnedPictureIsStoredLyingDown() throws {
        let upright = try ImageFactory.gradient(3, 5)
        let lying = try DemoPatterns.lyingDown(upright)
        #expect(lying.size == PixelSize(width: 5, height: 3))
        let first = lying.withUnsafeBytes { Array($0[..<4]) }
        let upperRight = upright.withUnsafeBytes { Array($0[8..<12]) }
        #expect(first == upperRight)
    }

    @Test func timesAreGivenInTheUnitThatSuitsThem() {
        #expect(readable(.microseconds(132)) == "132 µs")
        #expect(readable(.microseconds(1540)) == "1.5 ms")
        #expect(readable(.milliseconds(812)) == "812 ms")
    }

    @Test func theSheetHasARowForEveryFiveAndSignsForFailures() throws {
        let sample = try #require(DemoSample.all.first)
        let codes: [ImageError.Code] = [
            .timeout, .notAnImage, .dimensionLimit, .network, .httpStatus, .cancelled,
        ]
        let outcomes = codes.map { code in
            DemoOutcome(
                sample: sample, result: .failure(ImageError(code, stage: .load, "No.")), duration: .zero)
        }
        let server = try ScriptedServer()
        let summary = DemoSummary(rounds: [], server)
        let two = try ContactSheet(outcomes: outcomes, summary: summary).draw()
        let one = try ContactSheet(outcomes: Array(outcomes.prefix(5)), summary: summary).draw()
        #expect(two.width == one.width)
        #expect(two.height > one.height + ContactSheet.thumbnail.height)
    }
}
