// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// The parts that the commands work with.
enum Defaults {
    static func coders() -> CodersManager { CodersManager() }

    static func manager(cacheDirectory: String?, usesCache: Bool) -> ImageManager {
        ImageManager(cache: NoCache(), loader: LoadersManager([DataLoader()]), coder: coders())
    }
}
