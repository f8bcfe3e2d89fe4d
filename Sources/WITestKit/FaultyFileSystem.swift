// SPDX-License-Identifier: MIT
package import FoundationEssentials
package import WICore

/// The machine's file system, whose calls fail when a test says so, and which counts them.
package final class FaultyFileSystem: FileSystem {
    package enum Operation: Hashable, Sendable {
        case read, write, publish, remove, rename, makeFolder, list, status, tail, sync
    }

    private struct State: Sendable {
        var faults: [Operation: Int32] = [:]
        var counts: [Operation: Int] = [:]
    }
    private let base = LocalFileSystem()
    private let state = Locked(State())

    package init() {}

    /// Makes an operation fail with this `errno` from now on; nil lets it work again.
    package func fail(_ operation: Operation, with code: Int32?) {
        state.withLock { $0.faults[operation] = code }
    }

    package func count(_ operation: Operation) -> Int { state.withLock { $0.counts[operation, default: 0] } }

    private func enter(_ operation: Operation, _ path: String) throws(FileError) {
        let code = state.withLock { state in
            state.counts[operation, default: 0] += 1
            return state.faults[operation]
        }
        if let code { throw FileError(code, "\(operation)", path) }
    }

    package func read(
        _ path: String, limit: Int, usedSince: Double?
    ) throws(FileError) -> FileContents {
        try enter(.read, path)
        return try base.read(path, limit: limit, usedSince: usedSince)
    }
    package func write(_ parts: [Data], to path: String) throws(FileError) {
        try enter(.write, path)
        try base.write(parts, to: path)
    }
    package func publish(_ temporary: String, at path: String) throws(FileError) -> FileStatus? {
        do {
            try enter(.publish, path)
        } catch {
            try? base.remove(temporary)
            throw error
        }
        return try base.publish(temporary, at: path)
    }
    package func remove(_ path: String) throws(FileError) {
        try enter(.remove, path)
        try base.remove(path)
    }
    package func rename(_ path: String, to target: String) throws(FileError) {
        try enter(.rename, path)
        try base.rename(path, to: target)
    }
    package func makeFolder(_ path: String) throws(FileError) {
        try enter(.makeFolder, path)
        try base.makeFolder(path)
    }
    package func removeFolder(_ path: String) throws(FileError) { try base.removeFolder(path) }
    package func list(_ path: String) throws(FileError) -> [String] {
        try enter(.list, path)
        return try base.list(path)
    }
    package func status(_ path: String) throws(FileError) -> FileStatus {
        try enter(.status, path)
        return try base.status(path)
    }
    package func tail(_ path: String, length: Int) throws(FileError) -> FileContents {
        try enter(.tail, path)
        return try base.tail(path, length: length)
    }
    package func sync(_ path: String) throws(FileError) {
        try enter(.sync, path)
        try base.sync(path)
    }
}
