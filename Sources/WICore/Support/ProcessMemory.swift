// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How much memory the process may use: what its control group allows, or else what the machine has.
package enum ProcessMemory {
    private static let known = ByteCount(min(controlGroupLimit ?? .max, physical))

    /// Found once, when first asked.
    package static func limit() -> ByteCount { known }

    private static var physical: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES)), size = sysconf(Int32(_SC_PAGESIZE))
        guard pages > 0, size > 0 else { return 1 << 30 }
        return pages * size
    }

    /// Version 2 of control groups, along the group's path up to the root, or else version 1.
    private static var controlGroupLimit: Int? {
        let groups = text("/proc/self/cgroup") ?? ""
        var limits: [Int] = []
        for line in groups.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[0] == "0", parts[1].isEmpty {
                limits += limitsAlong(String(parts[2]), ["memory.max", "memory.high"], "/sys/fs/cgroup")
            } else if parts[1].split(separator: ",").contains("memory") {
                limits += limitsAlong(String(parts[2]), ["memory.limit_in_bytes"], "/sys/fs/cgroup/memory")
            }
        }
        return limits.min()
    }

    private static func limitsAlong(_ path: String, _ files: [String], _ mount: String) -> [Int] {
        var folders = [mount]
        for part in path.split(separator: "/") { folders.append("\(folders.last ?? mount)/\(part)") }
        return folders.flatMap { folder in files.compactMap { number("\(folder)/\($0)") } }
    }

    /// The number in a file; nil for "max", for what stands for no limit, and for no file.
    private static func number(_ path: String) -> Int? {
        guard let text = text(path), let value = Int(text.filter { !$0.isWhitespace }) else { return nil }
        return (1..<Int.max / 4096 * 4096 - 4096).contains(value) ? value : nil
    }

    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
