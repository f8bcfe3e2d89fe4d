// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

/// The parts that the commands work with.
enum Defaults {
    static func coders() -> CodersManager { CodersManager.standard() }

    /// The disk cache in `directory`, or in the user's own folder.
    ///
    /// Nothing is touched before its first use.
    static func diskCache(_ directory: String?) -> DiskCache {
        DiskCache(configuration: DiskCacheConfiguration(root: directory))
    }

    static func loader(_ configuration: CurlLoaderConfiguration) -> LoadersManager {
        LoadersManager([DataLoader(), CurlLoader(configuration: configuration)])
    }

    static func manager(
        cacheDirectory: String?, usesCache: Bool, loader: CurlLoaderConfiguration = CurlLoaderConfiguration()
    ) -> ImageManager {
        .standard(disk: usesCache ? DiskCacheConfiguration(root: cacheDirectory) : nil, loader: loader)
    }
}
