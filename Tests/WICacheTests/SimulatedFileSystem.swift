// SPDX-License-Identifier: MIT
import FoundationEssentials
import WICore

#if canImport(Glibc)
    import Glibc
#endif

/// Files in memory, whose times are those of a simulated clock: long traces take neither a disk nor the time they stand for.
final class SimulatedFileSystem: FileSystem {
    private struct File: Sendable {
        var data: Data
        var accessedAt: Double
        var modifiedAt: Double
        var status: FileStatus {
            FileStatus(size: data.count, accessedAt: accessedAt, modifiedAt: modifiedAt)
        }
    }

    private struct State: Sendable {
        var now = 1_000_000_000.0
        var folders: [String: [String: File]] = [:]
        var looks = 0
    }
    private let state = Locked(State())

    var now: Double {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    /// How often a status was asked for.
    var looks: Int { state.withLock { $0.looks } }
    /// Bytes of all files.
    var bytes: Int {
        state.withLock { state in
            state.folders.values.reduce(0) { sum, files in sum + files.values.reduce(0) { $0 + $1.data.count }
            }
        }
    }

    private func split(_ path: String) -> (folder: String, name: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        return (String(path[..<slash]), String(path[slash...].dropFirst()))
    }

    func read(_ path: String, limit: Int, usedSince: Double?) throws(FileError) -> FileContents {
        let (folder, name) = split(path)
        let file = state.withLock { state -> File? in
            guard let file = state.folders[folder]?[name] else { return nil }
            if let usedSince, file.accessedAt < usedSince {
                state.folders[folder]?[name]?.accessedAt = state.now
            }
            return file
        }
        guard let file else { throw FileError(ENOENT, "read", path) }
        return FileContents(data: file.data, status: file.status)
    }

    func tail(_ path: String, length: Int) throws(FileError) -> FileContents {
        let whole = try read(path, limit: .max, usedSince: nil)
        return FileContents(data: Data(whole.data.suffix(length)), status: whole.status)
    }

    func write(_ parts: [Data], to path: String) throws(FileError) {
        let (folder, name) = split(path)
        let data = parts.reduce(into: Data()) { $0.append($1) }
        state.withLock { state in
            let file = File(data: data, accessedAt: state.now, modifiedAt: state.now)
            state.folders[folder, default: [:]][name] = file
        }
    }

    func publish(_ temporary: String, at path: String) throws(FileError) -> FileStatus? {
        let (folder, name) = split(path), from = split(temporary)
        return state.withLock { state -> FileStatus? in
            let file = state.folders[from.folder]?.removeValue(forKey: from.name)
            let old = state.folders[folder]?[name]
            state.folders[folder, default: [:]][name] = file
            return old?.status
        }
    }

    func rename(_ path: String, to target: String) throws(FileError) { _ = try publish(path, at: target) }

    func remove(_ path: String) throws(FileError) {
        let (folder, name) = split(path)
        let removed = state.withLock { $0.folders[folder]?.removeValue(forKey: name) != nil }
        if !removed { throw FileError(ENOENT, "remove", path) }
    }

    func makeFolder(_ path: String) throws(FileError) {}
    func removeFolder(_ path: String) throws(FileError) {}
    func sync(_ path: String) throws(FileError) {}

    func list(_ path: String) throws(FileError) -> [String] {
        guard let files = state.withLock({ $0.folders[path] }) else { throw FileError(ENOENT, "list", path) }
        return Array(files.keys)
    }

    func status(_ path: String) throws(FileError) -> FileStatus {
        let (folder, name) = split(path)
        let found = state.withLock { state -> FileStatus? in
            state.looks += 1
            // Folders are there from the start.
            if folder.hasSuffix("/default"), state.folders[folder]?[name] == nil {
                return FileStatus(size: 0, accessedAt: 0, modifiedAt: 0, isRegular: false)
            }
            return state.folders[folder]?[name]?.status
        }
        guard let found else { throw FileError(ENOENT, "stat", path) }
        return found
    }
}
