// SPDX-License-Identifier: MIT
internal import FoundationEssentials
public import WICore

/// Loads pictures out of a zip archive: `zip:///folder/picture.jpg` is the archive's entry `folder/picture.jpg`.
///
/// This is all that a loader of your own takes: say which requests it serves, and give their bytes. Sharing of loads,
/// caching, decoding, limits and cancellation are the manager's.
///
///     let loaders = LoadersManager([DataLoader(), CurlLoader(), try ArchiveLoader(path: "pictures.zip")])
///     let manager = ImageManager(cache: cache, loader: loaders, coder: CodersManager.standard())
///     let result = try await manager.image(for: ImageRequest("zip:///cats/tom.jpg"))
///
/// Entries must be stored, as pictures mostly are (they are compressed already).
public struct ArchiveLoader: ImageLoading {
    private let archive: ZipArchive

    /// A loader for the archive in a file.
    ///
    /// - Throws: ``ImageError`` with code `fileNotFound` or `corruptData`.
    public init(path: String) throws(ImageError) {
        archive = try ZipArchive(path: path)
    }

    /// Whether the scheme is `zip`.
    public func canLoad(_ request: LoadRequest) -> Bool { request.url.scheme?.lowercased() == "zip" }

    /// Gives the entry's bytes to `body`, piece by piece: `append` waits while memory for bodies is short, and throws when
    /// nobody wants more.
    public func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        let name = String(request.url.path(percentEncoded: false).drop { $0 == "/" })
        guard let entry = archive.entries[name] else {
            throw ImageError(
                .fileNotFound, stage: .load, "The archive has no entry “\(name)”.", url: request.url)
        }
        let bytes = try archive.contents(of: entry)
        // The length is judged before the first byte is kept.
        try body.begin(ResponseHead(url: request.url, expectedLength: bytes.count))
        var rest = bytes[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            try await body.append(rest.prefix(64 << 10))
            rest = rest.dropFirst(64 << 10)
        }
        return .streamed
    }

    /// An entry that is not there will not be there a minute later either.
    public func blockingTime(after error: ImageError, for request: LoadRequest) -> Duration? {
        error.code == .fileNotFound ? .seconds(60) : error.defaultBlockingTime
    }
}
