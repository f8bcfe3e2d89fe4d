// SPDX-License-Identifier: MIT
public import WICache
internal import WICoders
public import WICore
public import WILoaderCurl

extension ImageManager {
    /// The manager that most programs need: memory and disk cache in the user's cache folder, http, https and `data:` URLs,
    /// all coders of the package. Made when first used; nothing is read, opened or started before the first request.
    public static let shared = ImageManager.standard()

    /// A manager of the package's own parts.
    ///
    /// - Parameters:
    ///   - memory: how much is kept in memory. Default: a quarter of what the process may use.
    ///   - disk: where and how much is kept on disk. Default: 1 GiB in the user's cache folder. Nil keeps nothing there.
    ///   - loader: how http and https are loaded. Where it says nothing about `partialDownloads`, the beginnings of bodies
    ///     that were cut off are kept beside the disk cache, in ``DiskCacheConfiguration/partialDownloads``.
    ///   - configuration: threads, memory and default context.
    public static func standard(
        memory: MemoryCache.Limits = MemoryCache.Limits(),
        disk: DiskCacheConfiguration? = DiskCacheConfiguration(),
        loader: CurlLoaderConfiguration = CurlLoaderConfiguration(),
        configuration: ImageManagerConfiguration = ImageManagerConfiguration()
    ) -> ImageManager {
        var loader = loader
        loader.partialDownloads = loader.partialDownloads ?? disk?.partialDownloads
        return ImageManager(
            cache: ImageCache(
                memory: MemoryCache(limits: memory), disk: disk.map { DiskCache(configuration: $0) }),
            loader: LoadersManager([DataLoader(), CurlLoader(configuration: loader)]),
            coder: CodersManager.standard(), configuration: configuration)
    }
}

extension DiskCacheConfiguration {
    /// Beginnings of bodies, in the folder `.partial` of the cache's root: at most 64 MiB, for a day.
    public var partialDownloads: PartialDownloads { PartialDownloads(folder: root + "/.partial") }
}

extension CodersManager {
    /// All coders of the package: PAM, GIF, WebP, PNG, JPEG.
    public static func standard() -> CodersManager {
        CodersManager([PAMCoder(), GIFCoder(), WebPCoder(), PNGCoder(), JPEGCoder()])
    }
}
