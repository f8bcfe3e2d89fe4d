// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// What lies behind URLs, past every cache, for commands that make no pictures of it.
///
/// Its calls wait: they are made from the process's first thread.
final class RemotePictures: Sendable {
    private let manager: ImageManager
    private let context: ImageContext

    init(_ network: NetworkWish, _ console: Console) {
        manager = Defaults.manager(
            cacheDirectory: nil, usesCache: false, loader: network.configuration(console))
        context = ImageContext { context in
            network.apply(to: &context)
            context[.totalTimeout] = network.timeout
        }
    }

    /// What the head of the file says; the transfer ends as soon as it is known.
    ///
    /// - Throws: why it cannot be had.
    func info(of text: String) throws(ImageError) -> ImageInfo {
        try waited(text) { manager, request throws(ImageError) in try await manager.imageInfo(for: request) }
    }

    /// The bytes of the file.
    ///
    /// - Throws: why they cannot be had.
    func data(of text: String) throws(ImageError) -> Data {
        try waited(text) { manager, request throws(ImageError) in
            try await manager.data(for: request).data ?? Data()
        }
    }

    private func waited<Value: Sendable>(
        _ text: String,
        _ load: @escaping @Sendable (ImageManager, ImageRequest) async throws(ImageError) -> Value
    ) throws(ImageError) -> Value {
        let result = Locked<Result<Value, ImageError>>(.failure(.cancelled(.load)))
        waitFor { [manager, context] in
            let loaded: Result<Value, ImageError>
            do throws(ImageError) {
                loaded = .success(try await load(manager, ImageRequest(text, context: context)))
            } catch {
                loaded = .failure(error)
            }
            result.withLock { $0 = loaded }
        }
        return try result.withLock { $0 }.get()
    }
}
