// SPDX-License-Identifier: MIT
internal import WebImage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension OutputFile {
    /// What a name stands for, its links followed.
    struct Target {
        enum Kind {
            case missing
            case file(mode_t)
            /// A device, a pipe.
            case other
        }
        let path: RawText
        let kind: Kind
    }

    /// As many as the system follows.
    private static let mostLinks = 40

    /// What would be written under `path`.
    ///
    /// - Throws: ``ImageError`` with code `fileAccess` for a folder or a circle of links, and what the system says otherwise.
    static func target(of path: RawText) throws(ImageError) -> Target {
        var target = path
        for _ in 0...mostLinks {
            var status = stat()
            guard target.withPath({ lstat($0, &status) }) == 0 else {
                guard errno == ENOENT else { throw fileError(.store, path, "cannot be written", errno) }
                return Target(path: target, kind: .missing)
            }
            switch status.st_mode & S_IFMT {
            case S_IFLNK: target = try destination(of: target)
            case S_IFDIR: throw fileError(.store, path, "cannot be written", EISDIR)
            case S_IFREG:
                // Renaming would replace it nevertheless: that takes the folder's rights alone.
                guard status.st_mode & 0o222 != 0, target.withPath({ access($0, W_OK) }) == 0 else {
                    throw ImageError(
                        .fileAccess, stage: .store,
                        "\(printable(path.text)) is there already and may not be written; remove it, or change its "
                            + "rights.")
                }
                return Target(path: target, kind: .file(status.st_mode & 0o7777))
            default: return Target(path: target, kind: .other)
            }
        }
        throw fileError(.store, path, "cannot be written", ELOOP)
    }

    /// Finds out, before the work that makes the bytes, what would keep them from being written.
    ///
    /// - Throws: ``ImageError`` with code `fileAccess` or `fileNotFound`.
    static func check(_ path: RawText) throws(ImageError) {
        let target = try target(of: path)
        guard case .other = target.kind else {
            let folder = RawText(
                Array(target.path.bytes.dropLast(target.path.lastComponent.bytes.count)) + [0x2E])
            guard folder.withPath({ access($0, W_OK | X_OK) }) != 0 else { return }
            throw fileError(.store, path, "cannot be written", errno)
        }
    }

    private static func destination(of link: RawText) throws(ImageError) -> RawText {
        let room = Int(PATH_MAX)
        var bytes = [CChar](repeating: 0, count: room)
        let count = link.withPath { readlink($0, &bytes, room) }
        guard count >= 0 else { throw fileError(.store, link, "cannot be read", errno) }
        let destination = bytes.prefix(count).map { UInt8(bitPattern: $0) }
        if destination.first == UInt8(ascii: "/") { return RawText(destination) }
        return RawText(Array(link.bytes.dropLast(link.lastComponent.bytes.count)) + destination)
    }
}
