// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// What the heads of files behind URLs say, past every cache: each transfer ends as soon as its head is known.
final class RemoteHeads: Sendable {
    private let manager: ImageManager
    private let context: ImageContext
    private let result = Locked<Result<ImageInfo, ImageError>?>(nil)

    init(_ network: NetworkWish, _ console: Console) {
        manager = Defaults.manager(
            cacheDirectory: nil, usesCache: false, loader: network.configuration(console))
        context = ImageContext { context in
            network.apply(to: &context)
            context[.totalTimeout] = network.timeout
        }
    }

    /// The head behind the URL, waited for: to be called from the process's first thread.
    ///
    /// - Throws: why it cannot be had.
    func info(of text: String) throws(ImageError) -> ImageInfo {
        waitFor { [self] in
            let info = await load(text)
            result.withLock { $0 = info }
        }
        return try result.withLock { $0 ?? .failure(.cancelled(.load)) }.get()
    }

    private func load(_ text: String) async -> Result<ImageInfo, ImageError> {
        do throws(ImageError) {
            return .success(try await manager.imageInfo(for: ImageRequest(text, context: context)))
        } catch {
            return .failure(error)
        }
    }
}
