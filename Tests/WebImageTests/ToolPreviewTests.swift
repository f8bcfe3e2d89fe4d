// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

@testable import WebImageTool

/// Previews of pictures that drip out of a server.
struct ToolPreviewTests {
    private let runner: ToolRunner
    private let server: ScriptedServer

    init() throws {
        runner = try ToolRunner()
        server = try ScriptedServer()
    }

    private func picture(_ format: ImageFormat) throws -> [UInt8] {
        var options = EncodeOptions()
        options[JPEGEncoding.self].isProgressive = true
        let coders = CodersManager([PNGCoder(), JPEGCoder()])
        let image = DecodedImage(pixels: try ImageFactory.photoLike(320, 240))
        return Array(try coders.encode(image, as: format, options, WorkContext()))
    }

    private func previews(_ folder: String) throws -> [DecodedImage] {
        let folder = runner.path(folder)
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
            let data = try Data(contentsOf: URL(filePath: folder + "/" + name))
            return try PNGCoder().decode(data, DecodeOptions(), WorkContext())
        }
    }

    @Test func `each preview is written under a number, and none is stored`() async throws {
        for (name, format) in [("photo.jpg", ImageFormat.jpeg), ("photo.png", .png)] {
            let bytes = try picture(format)
            server.on("/\(name)", .ok(bytes).dripping(bytes.count / 12, every: .milliseconds(40)))
            let arguments = ["load", server.baseURL + "/" + name, "--progressive", "--previews"]
            let outcome = try await runner.run(arguments + [runner.path("seen"), "-o", runner.path(name)])
            #expect(outcome.status == 0 && outcome.complaints.isEmpty)
            let seen = try previews("seen")
            #expect(!seen.isEmpty && seen.allSatisfy { $0.size == PixelSize(width: 320, height: 240) })
            let names = try FileManager.default.contentsOfDirectory(atPath: runner.path("seen")).sorted()
            #expect(names.first == "photo-001.png")
            #expect(try Data(contentsOf: URL(filePath: runner.path(name))) == Data(bytes))
            try FileManager.default.removeItem(atPath: runner.path("seen"))
            // The second time, the cache has the whole picture.
            let again = try await runner.run(arguments + [runner.path("again")])
            #expect(try again.status == 0 && previews("again").isEmpty)
        }
    }

    @Test func `one option without the other is a mistake`() async throws {
        for arguments in [["--progressive"], ["--previews", runner.path("seen")]] {
            let outcome = try await runner.run(["load", server.baseURL + "/a"] + arguments)
            #expect(
                outcome.status == 2
                    && outcome.complaints.contains("--progressive and --previews DIR go together"))
        }
    }
}
