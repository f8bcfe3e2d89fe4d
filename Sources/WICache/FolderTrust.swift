// SPDX-License-Identifier: MIT
internal import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Whether a cache's folders are such that nobody else can put pictures, or links to other files, into them.
///
/// The root must be a folder of the process's user that not everybody may write to, or one of everybody's in which each can
/// remove only what is their own, as `/tmp` is. What is made in it must be a folder, no link, and writable by its owner alone.
struct FolderTrust {
    private let files: any FileSystem
    private let user: UInt32

    init(_ files: any FileSystem, user: UInt32 = geteuid()) {
        self.files = files
        self.user = user
    }

    /// Why the cache in `layout` cannot be used, as the end of a sentence that begins with the folder; nil where it can be, or is
    /// not there yet.
    func objection(to layout: DiskLayout) -> (folder: String, reason: String)? {
        if let reason = objection(toRoot: layout.root) { return (layout.root, reason) }
        for folder in [layout.namespace, layout.folder] {
            guard let status = try? files.status(folder) else { return nil }
            if let reason = objection(toOwn: status) { return (folder, reason) }
        }
        return nil
    }

    /// A root may be a link of the user's own to a larger disk: what it leads to is looked at.
    private func objection(toRoot root: String) -> String? {
        let status: FileStatus
        do throws(FileError) {
            status = try files.status(root + "/.")
        } catch {
            return error.code == ENOTDIR ? "is no folder" : nil
        }
        if status.rights & 0o1000 != 0, status.owner == 0 || status.owner == user { return nil }
        if status.owner != user { return "belongs to another user" }
        return status.rights & 0o002 != 0 ? "may be written by everybody" : nil
    }

    private func objection(toOwn status: FileStatus) -> String? {
        guard status.isFolder else { return "is no folder" }
        if status.owner != user { return "belongs to another user" }
        return status.rights & 0o022 != 0 ? "may be written by others" : nil
    }
}
