// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

@testable import WebImageTool

@Suite(.timeLimit(.minutes(5))) struct ToolTimeLimitTests {
    @Test func whatDoesNotEndInTimeIsCancelledAndTheErrorNamesTheTime() async {
        for (duration, text) in [(Duration.seconds(2), "2 s"), (.milliseconds(1500), "1.500 s")] {
            let limit = TimeLimit(duration: duration) { #expect($0 == duration) }
            let result: Result<Int, ImageError> = await limit.run {
                do {
                    try await Task.sleep(for: .seconds(86_400))
                    return .success(1)
                } catch {
                    return .failure(.cancelled(.decode))
                }
            }
            guard case .failure(let error) = result else {
                Issue.record("what never ends succeeded")
                continue
            }
            #expect(error.code == .timeout)
            #expect(error.message.contains(text))
        }
    }

    @Test func whatEndsInTimeIsHandedOnAndTheClockStopped() async {
        let limit = TimeLimit(duration: .seconds(86_400))
        let value: Result<Int, ImageError> = await limit.run { .success(7) }
        #expect(value == .success(7))
        let vetoed = ImageError(.vetoed, stage: .load, "No.")
        let failure: Result<Int, ImageError> = await limit.run { .failure(vetoed) }
        #expect(failure == .failure(vetoed))
    }

    @Test func aSlowDecodeEndsWithItsLoadsTime() async throws {
        // A third of a megapixel takes more than a millisecond on any machine, all in all.
        let picture = try MutablePixels(width: 600, height: 600, alphaMode: .opaque).publish()
        let file = try ImageFactory.encoded(picture, .png, by: PNGCoder())
        let url = "data:image/png;base64," + Data(file).base64EncodedString()
        let runner = try ToolRunner()
        let output = runner.path("out.png")
        let outcome = try await runner.run(
            "load", url, "--timeout", "0.001", "-f", "png", "-q", "80", "-o", output)
        #expect(outcome.status == 1)
        #expect(outcome.complaints.contains("The load was not done after 0.001 s"))
    }
}
