// SPDX-License-Identifier: MIT
internal import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A folder of its own that goes with the object, contents and all.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/webimage-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw TemporaryFolderError(code: errno) }
        path = String(cString: made)
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            chmod(path, 0o700)
            while let entry = readdir(folder) {
                let name = String(cArray: entry.pointee.d_name)
                guard name != ".", name != ".." else { continue }
                let child = path + "/" + name
                if unlink(child) != 0 { remove(child) }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}

/// Why there is no temporary folder.
package struct TemporaryFolderError: Error {
    package let code: Int32
}
