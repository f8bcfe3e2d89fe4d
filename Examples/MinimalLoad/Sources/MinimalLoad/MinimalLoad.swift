// SPDX-License-Identifier: MIT
import FoundationEssentials
import Glibc
import WICore
import WIJPEG
import WILoaderCurl

/// Loads one JPEG by URL, decoded to fit into 300 x 300, with the three modules that this takes.
@main struct MinimalLoad {
    static func main() async {
        guard CommandLine.arguments.count == 2, let url = ImageRequest(CommandLine.arguments[1]).url else {
            end("Usage: MinimalLoad URL", status: 2)
        }
        let loader = CurlLoader()
        do {
            print(try await load(url, with: loader))
        } catch {
            // An error that a function throws need not be caught by kind: its text is a sentence.
            end("\(error)", status: 1)
        }
        await loader.shutdown()
    }

    private static func load(_ url: URL, with loader: CurlLoader) async throws -> String {
        let body = BodySink()
        _ = try await loader.load(LoadRequest(url: url), into: body)
        var options = DecodeOptions()
        options.thumbnailSize = PixelSize(width: 300, height: 300)
        let image = try JPEGCoder().decode(try body.finish(), options, WorkContext())
        return "\(url): \(image.metadata.storedSize), decoded to \(image.size)"
    }

    private static func end(_ message: String, status: Int32) -> Never {
        let line = message + "\n"
        write(STDERR_FILENO, line, line.utf8.count)
        exit(status)
    }
}
