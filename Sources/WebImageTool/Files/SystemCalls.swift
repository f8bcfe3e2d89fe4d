// SPDX-License-Identifier: MIT
internal import WebImage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What the system says of an error number.
func systemMessage(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}

/// Writes everything; 0, or the error number.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes
    while !rest.isEmpty {
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count < 0 {
            if errno == EINTR { continue }
            return errno
        }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
    return 0
}

/// An error of the file system, as one sentence that names the file.
func fileError(_ stage: ImageError.Stage, _ path: RawText, _ what: String, _ number: Int32) -> ImageError {
    ImageError(
        number == ENOENT ? .fileNotFound : .fileAccess, stage: stage,
        "\(path.isEmpty ? "A file without a name" : printable(path.text)) \(what): \(systemMessage(number)).")
}

/// Whether `path` names a folder.
func isDirectory(_ path: RawText) -> Bool {
    var status = stat()
    return path.withPath { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Makes a folder and those above it, where they are missing.
func makeDirectories(_ path: RawText) throws(ImageError) {
    if isDirectory(path) { return }
    var depth = path.bytes.startIndex
    while depth < path.bytes.endIndex {
        let slash = path.bytes[(depth + 1)...].firstIndex(of: UInt8(ascii: "/")) ?? path.bytes.endIndex
        let folder = RawText(Array(path.bytes[..<slash]))
        if folder.withPath({ mkdir($0, 0o777) }) != 0, errno != EEXIST, !isDirectory(folder) {
            throw fileError(.store, folder, "cannot be made", errno)
        }
        depth = slash
    }
    guard isDirectory(path) else { throw fileError(.store, path, "is no folder", ENOTDIR) }
}
