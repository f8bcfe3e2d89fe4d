// SPDX-License-Identifier: MIT
import WITestKit

#if canImport(Glibc)
    import Glibc

    /// A small file system of its own, gone with the object: a disk that is really full, really read-only.
    final class TemporaryMount: Sendable {
        let folder: TemporaryFolder
        var path: String { folder.path }

        /// Nil where this user may not mount.
        init?(size: String, notesAccess: Bool = true) throws {
            folder = try TemporaryFolder()
            let flags = notesAccess ? 0 : UInt(MS_NOATIME)
            guard mount("tmpfs", folder.path, "tmpfs", flags, "size=" + size) == 0 else { return nil }
        }

        deinit { umount2(folder.path, Int32(MNT_DETACH)) }

        /// Whether that worked.
        func makeReadOnly() -> Bool {
            mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
        }

        static let isPossible = (try? TemporaryMount(size: "64k")) ?? nil != nil
    }
#endif
