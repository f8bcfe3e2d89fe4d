// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICache
internal import WICoders
internal import WICore

/// The parts that the commands work with.
enum Defaults {
    static func coders() -> CodersManager { CodersManager([PAMCoder(), PNGCoder(), JPEGCoder()]) }

    /// The disk cache in `directory`, or in the user's own folder. Nothing is touched before its first use.
    static func diskCache(_ directory: String?) -> DiskCache {
        DiskCache(configuration: DiskCacheConfiguration(root: directory))
    }

    static func loader() -> LoadersManager { LoadersManager([DataLoader()]) }

    static func manager(cacheDirectory: String?, usesCache: Bool) -> ImageManager {
        let disk = usesCache ? diskCache(cacheDirectory) : nil
        return ImageManager(
            cache: ImageCache(memory: MemoryCache(), disk: disk), loader: loader(), coder: coders())
    }
}
