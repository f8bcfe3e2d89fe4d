// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Temporary files and folders that are to go when the process ends before their time.
final class Leftovers: Sendable {
    /// The process's own.
    static let shared = Leftovers()

    private let paths = Locked(Set<RawText>())

    /// Notes `path`, and calls `make` before anybody can remove what is noted.
    func noting<Result>(_ path: RawText, _ make: () -> Result) -> Result {
        paths.withLock { paths in
            paths.insert(path)
            return make()
        }
    }

    /// `path` is no longer temporary, or no longer there.
    func forget(_ path: RawText) { paths.withLock { _ = $0.remove(path) } }

    /// Removes everything noted, folders with all that is in them.
    func remove() {
        paths.withLock { paths in
            for path in paths {
                if path.withPath({ unlink($0) }) == 0 { continue }
                // Whoever still writes into a folder may be quicker once or twice.
                for _ in 0..<3 where isDirectory(path) {
                    try? FileManager.default.removeItem(atPath: path.text)
                }
            }
            paths.removeAll()
        }
    }
}
