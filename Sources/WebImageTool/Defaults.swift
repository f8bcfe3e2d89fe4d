// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore
internal import WICoders

/// The parts that the commands work with.
enum Defaults {
    static func coders() -> CodersManager { CodersManager([PAMCoder(), PNGCoder(), JPEGCoder()]) }

    static func manager(cacheDirectory: String?, usesCache: Bool) -> ImageManager {
        ImageManager(cache: NoCache(), loader: LoadersManager([DataLoader()]), coder: coders())
    }
}
