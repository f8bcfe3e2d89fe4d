// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// Handles without a transfer, set up for the next ones; on the loop's thread.
final class HandlePool {
    let setup: CurlSetup
    private var idle: [CurlEasy] = []
    private static let most = 64

    init(_ configuration: CurlLoaderConfiguration) { setup = CurlSetup(configuration) }

    /// Nil when there is no memory, or libcurl cannot do what the configuration asks for.
    func take() -> CurlEasy? { idle.popLast() ?? setup.makeHandle() }

    /// Takes a handle back that belongs to no transfer any more.
    func giveBack(_ easy: CurlEasy) {
        guard idle.count < Self.most, !easy.isPersonal else { return }
        easy.clear()
        idle.append(easy)
    }

    /// Why there is no handle.
    func failure(_ url: URL) -> ImageError {
        guard setup.needsNewLibrary else { return .outOfMemory(url) }
        return ImageError(
            .network, stage: .load,
            "libcurl cannot keep the loader's address policy; install 7.80 or later.", url: url)
    }
}
