// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The control groups that bound the memory of the process: version 2, or else version 1.
package struct ControlGroups: Sendable {
    /// Folders from the root down to the process's own group; both empty where the system has no groups.
    package let version2: [String]
    package let version1: [String]

    /// Those of this process; tests give folders of their own.
    package init(proc: String = "/proc", mount: String = "/sys/fs/cgroup") {
        var folders: (version2: [String], version1: [String]) = ([], [])
        for line in (Self.text("\(proc)/self/cgroup") ?? "").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[0] == "0", parts[1].isEmpty {
                folders.version2 = Self.folders(String(parts[2]), mount)
            } else if parts[1].split(separator: ",").contains("memory") {
                folders.version1 = Self.folders(String(parts[2]), mount + "/memory")
            }
        }
        (version2, version1) = folders
    }

    /// The tightest limit on the way from the root to the own group.
    package var limit: Int? {
        let limits =
            version2.flatMap { folder in
                ["memory.max", "memory.high"].compactMap { Self.number("\(folder)/\($0)") }
            } + version1.compactMap { Self.number("\($0)/memory.limit_in_bytes") }
        return limits.min()
    }

    /// How much of the limit that is nearest to being reached is in use; nil without a limit. What the system can drop at
    /// once, the contents of files not used lately, does not count.
    package var share: Double? {
        let shares =
            version2.compactMap { folder in
                share(folder, "memory.current", ["memory.max", "memory.high"], "inactive_file")
            }
            + version1.compactMap { folder in
                share(folder, "memory.usage_in_bytes", ["memory.limit_in_bytes"], "total_inactive_file")
            }
        return shares.max()
    }

    private func share(_ folder: String, _ usage: String, _ limits: [String], _ inactive: String) -> Double? {
        guard let limit = limits.compactMap({ Self.number("\(folder)/\($0)") }).min(),
            let used = Self.number("\(folder)/\(usage)")
        else { return nil }
        let droppable = Self.text("\(folder)/memory.stat").flatMap { Self.field(inactive, in: $0) } ?? 0
        return Double(max(0, used - droppable)) / Double(limit)
    }

    private static func folders(_ path: String, _ mount: String) -> [String] {
        var folders = [mount]
        for part in path.split(separator: "/") { folders.append("\(folders.last ?? mount)/\(part)") }
        return folders
    }

    /// The number in a file; nil for "max", for what stands for no limit, and for no file.
    private static func number(_ path: String) -> Int? {
        guard let text = text(path), let value = Int(text.filter { !$0.isWhitespace }) else { return nil }
        return (1..<Int.max / 4096 * 4096 - 4096).contains(value) ? value : nil
    }

    /// The number behind a name, in a text of one name and number a line.
    static func field(_ name: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == name { return Int(words[1]) }
        }
        return nil
    }

    /// The beginning of a small file.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
