// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

/// The smallest program, of three modules.
@Suite(.timeLimit(.minutes(5))) struct MinimalLoadTests {
    private let runner: ToolRunner
    private let program = ToolRunner.built("MinimalLoad")

    init() throws { runner = try ToolRunner() }

    @Test func aPictureIsLoadedByItsURL() async throws {
        let server = try ScriptedServer()
        let picture = try ImageFactory.photoLike(640, 480)
        let image = DecodedImage(pixels: picture, format: .jpeg)
        let file = try JPEGCoder().encode(image, as: .jpeg, EncodeOptions(), WorkContext())
        server.on("/a.jpg", .ok(Array(file)))
        let url = server.baseURL + "/a.jpg"
        let outcome = try await runner.run([url], program: program)
        #expect(outcome.text == "\(url): 640x480, decoded to 300x225\n")
        #expect(outcome.status == 0)
    }

    @Test func aFailureIsASentenceAndAStatus() async throws {
        let server = try ScriptedServer()
        let outcome = try await runner.run([server.baseURL + "/none"], program: program)
        #expect(outcome.status == 1)
        #expect(outcome.text.isEmpty)
        #expect(outcome.complaints.contains("status 404"))
        #expect(try await runner.run([], program: program).status == 2)
    }

    @Test func nothingIsLinkedThatIsNotUsed() async throws {
        let outcome = try await runner.run([program], program: "/usr/bin/ldd")
        #expect(outcome.text.contains("libjpeg"))
        for name in ["libpng", "libwebp", "libgif", "libdeflate", "libcurl"] {
            #expect(!outcome.text.contains(name), "\(name)")
        }
    }
}
