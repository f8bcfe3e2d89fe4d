// SPDX-License-Identifier: MIT
import WICore
import WIJPEG
import WILoaderCurl

/// Loads one JPEG by URL, decoded to fit into 300 x 300, with the three modules that this takes.
@main struct MinimalLoad {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("Usage: MinimalLoad URL") }
        let loader = CurlLoader()
        let body = BodySink()
        let request = ImageRequest(CommandLine.arguments[1])
        guard let url = request.url else { return }
        _ = try await loader.load(LoadRequest(url: url), into: body)
        var options = DecodeOptions()
        options.thumbnailSize = PixelSize(width: 300, height: 300)
        let image = try JPEGCoder().decode(try body.finish(), options, WorkContext())
        print("\(url): \(image.metadata.storedSize), decoded to \(image.size)")
        await loader.shutdown()
    }
}
