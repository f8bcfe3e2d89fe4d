// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit
import WebImage

/// The lines that the README shows, against a server of our own and without the user's cache folder.
@Suite struct ToolReadmeTests {
    @Test func theLinesOfTheReadmeLoadAPicture() async throws {
        let server = try ScriptedServer()
        let photo = try ImageFactory.encoded(try ImageFactory.gradient(640, 480), .jpeg, by: JPEGCoder())
        server.on("/photo.jpg", .ok(photo))

        let manager = ImageManager.standard(disk: nil)
        let request = ImageRequest(
            "\(server.baseURL)/photo.jpg", context: [.set(.thumbnailSize, PixelSize(width: 300, height: 300))]
        )
        let result = try await manager.image(for: request)
        #expect("\(result.image.size) \(result.origin)" == "300x225 loader")
        result.image.pixels.withBytes { rgba in #expect(rgba.byteCount == 300 * 225 * 4) }
        #expect(try await manager.image(for: request).origin == .memory)
        await manager.shutdown()
    }
}
