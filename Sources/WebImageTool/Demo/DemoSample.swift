// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WITestKit
internal import WebImage

/// One URL of the demo: what the server does when it is asked for it, and what should come of that.
struct DemoSample: Sendable {
    /// What became of a request.
    enum Kind: String, Sendable {
        case whole, partial, failed
    }

    /// The path on the server, without the slash.
    let name: String
    /// What is special about it.
    let note: String
    let expected: Kind
    let timeout: Duration?
    /// Draws and encodes the picture, and says how each of its paths is answered.
    let scripts: @Sendable () throws -> [(path: String, script: Script)]

    init(
        _ name: String, _ note: String, _ expected: Kind = .whole, timeout: Duration? = nil,
        scripts: @escaping @Sendable () throws -> [(path: String, script: Script)]
    ) {
        self.name = name
        self.note = note
        self.expected = expected
        self.timeout = timeout
        self.scripts = scripts
    }

    /// A sample with one path, answered by a picture that may then be spoiled.
    init(
        _ name: String, _ note: String, _ format: ImageFormat,
        _ draw: @escaping @Sendable () throws -> PixelBuffer,
        expected: Kind = .whole, options: EncodeOptions = EncodeOptions(), metadata: ImageMetadata? = nil,
        answer: @escaping @Sendable (Script) -> Script = { $0 }
    ) {
        self.init(name, note, expected) {
            let file = try Self.file(try draw(), format, options, metadata)
            return [("/" + name, answer(.ok(file, type: format.mimeType)))]
        }
    }

    /// The picture as a file.
    static func file(
        _ pixels: PixelBuffer, _ format: ImageFormat, _ options: EncodeOptions = EncodeOptions(),
        _ metadata: ImageMetadata? = nil
    ) throws -> [UInt8] {
        let image = DecodedImage(pixels: pixels, format: format, metadata: metadata)
        return Array(try Defaults.coders().encode(image, as: format, options, WorkContext()))
    }

    /// The request for it, at the size of the contact sheet.
    func request(_ server: ScriptedServer, box: PixelSize) -> ImageRequest {
        var context = ImageContext()
        context[.thumbnailSize] = box
        context[.totalTimeout] = timeout
        return ImageRequest(url: server.url("/" + name), context: context)
    }
}
