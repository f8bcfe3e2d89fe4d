// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// Bytes by URL, past every cache, for commands that want no pixels.
final class Downloads: Sendable {
    private let loader: LoadersManager
    private let network: NetworkWish
    private let result = Locked<Result<Data, ImageError>?>(nil)

    init(_ network: NetworkWish, _ console: Console) {
        self.network = network
        loader = Defaults.loader(network.configuration(console))
    }

    /// The body behind the URL, waited for: to be called from the process's first thread.
    ///
    /// - Throws: why it cannot be had.
    func body(of text: String) throws(ImageError) -> Data {
        waitFor { [self] in
            let body = await load(text)
            result.withLock { $0 = body }
        }
        return try result.withLock { $0 ?? .failure(.cancelled(.load)) }.get()
    }

    private func load(_ text: String) async -> Result<Data, ImageError> {
        guard let url = ImageRequest(text).url else {
            return .failure(ImageError(.invalidURL, stage: .request, "\(quoted(text)) is no URL."))
        }
        do {
            let request = network.request(url)
            let body = BodySink(limit: request.bodyLimit)
            switch try await loader.load(request, into: body) {
            case .data(let data, _): return .success(data)
            case .streamed, .notModified, .image: return .success(try body.finish())
            }
        } catch {
            return .failure(.wrapping(error, as: .network, stage: .load, url: url))
        }
    }
}
