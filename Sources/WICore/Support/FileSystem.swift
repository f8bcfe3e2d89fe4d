// SPDX-License-Identifier: MIT
package import FoundationEssentials
internal import RuntimeShim

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A system call on a file that failed.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Int32
    package let operation: String
    package let path: String

    package init(_ code: Int32, _ operation: String, _ path: String) {
        self.code = code
        self.operation = operation
        self.path = path
    }

    package var isNotFound: Bool { code == ENOENT || code == ENOTDIR }
    package var description: String { "\(operation) “\(path)”: \(String(cString: strerror(code)))" }
}

/// What is known about a file.
package struct FileStatus: Hashable, Sendable {
    package var size: Int
    /// Seconds since 1970.
    package var accessedAt: Double
    /// Seconds since 1970.
    package var modifiedAt: Double
    package var isRegular: Bool
    package var isFolder: Bool
    /// The owner's number.
    package var owner: UInt32
    /// The twelve bits that `chmod` sets.
    package var rights: UInt32

    package init(size: Int, accessedAt: Double, modifiedAt: Double, isRegular: Bool = true) {
        self.size = size
        self.accessedAt = accessedAt
        self.modifiedAt = modifiedAt
        self.isRegular = isRegular
        isFolder = !isRegular
        owner = geteuid()
        rights = 0o700
    }
}

/// Bytes of a file, and the status that it had before they were read.
package struct FileContents: Sendable {
    package let data: Data
    package let status: FileStatus

    package init(data: Data, status: FileStatus) {
        self.data = data
        self.status = status
    }
}

/// The system calls that a disk cache makes, so that tests can fail each of them.
package protocol FileSystem: Sendable {
    /// The bytes of a plain file; fails with `EFBIG` where there are more than `limit`, and with `ELOOP` where there is a link.
    ///
    /// A time of last access that is before `usedSince` is set to now; nil leaves it.
    func read(_ path: String, limit: Int, usedSince: Double?) throws(FileError) -> FileContents
    /// The last `length` bytes of a plain file, or all where it has no more. It is no use of the file.
    func tail(_ path: String, length: Int) throws(FileError) -> FileContents
    /// Writes `parts` one after the other to a new file, which is gone again when that fails.
    func write(_ parts: [Data], to path: String) throws(FileError)
    /// Gives a written file its name in one step. The temporary name is free afterwards, also when it fails.
    ///
    /// - Returns: what had the name before, exactly: whoever counts files counts each once.
    func publish(_ temporary: String, at path: String) throws(FileError) -> FileStatus?
    func remove(_ path: String) throws(FileError)
    func rename(_ path: String, to target: String) throws(FileError)
    /// Makes a folder and those above it, with mode 0700; one that is there is no error.
    func makeFolder(_ path: String) throws(FileError)
    func removeFolder(_ path: String) throws(FileError)
    /// The names in a folder, which no link to one is, in no order.
    func list(_ path: String) throws(FileError) -> [String]
    func status(_ path: String) throws(FileError) -> FileStatus
    /// Returns when what was written below a folder would outlive a power failure.
    func sync(_ path: String) throws(FileError)
}

/// The file system of the machine.
package struct LocalFileSystem: FileSystem {
    private let followsLinks: Bool

    /// - Parameter followsLinks: whether a link to a file is read as the file. A cache's own files are no links.
    package init(followsLinks: Bool = false) { self.followsLinks = followsLinks }

    package func read(
        _ path: String, limit: Int, usedSince: Double?
    ) throws(FileError) -> FileContents {
        let (descriptor, status) = try openPlainFile(path)
        defer { _ = close(descriptor) }
        guard status.size <= limit else { throw FileError(EFBIG, "read", path) }
        let data = try contents(of: descriptor, size: status.size, path)
        if let usedSince, status.accessedAt < usedSince { wi_touch(descriptor) }
        return FileContents(data: data, status: status)
    }

    package func tail(_ path: String, length: Int) throws(FileError) -> FileContents {
        let (descriptor, status) = try openPlainFile(path)
        defer { _ = close(descriptor) }
        let length = max(0, min(length, status.size))
        guard lseek(descriptor, off_t(status.size - length), SEEK_SET) >= 0 else {
            throw FileError(errno, "seek", path)
        }
        return FileContents(data: try contents(of: descriptor, size: length, path), status: status)
    }

    /// Opens a file without that being an access: when it was used is noted by hand, where it is one.
    private func openPlainFile(_ path: String) throws(FileError) -> (Int32, FileStatus) {
        let descriptor = wi_open_quietly(path, followsLinks ? 1 : 0)
        guard descriptor >= 0 else { throw FileError(errno, "open", path) }
        var info = stat()
        let failure = fstat(descriptor, &info) == 0 ? 0 : errno
        let status = FileStatus(info)
        guard failure == 0, status.isRegular else {
            close(descriptor)
            throw failure == 0 ? FileError(EISDIR, "read", path) : FileError(failure, "stat", path)
        }
        return (descriptor, status)
    }

    private func contents(of descriptor: Int32, size: Int, _ path: String) throws(FileError) -> Data {
        guard size > 0 else { return Data() }
        // Not `Data(count:)`: that fills with zeros first, and ends the process where there is no memory.
        guard let start = malloc(size) else { throw FileError(ENOMEM, "read", path) }
        var filled = 0
        while filled < size {
            let got = systemRead(descriptor, start + filled, size - filled)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                let code = errno
                free(start)
                throw FileError(code, "read", path)
            }
            guard got > 0 else { break }
            filled += got
        }
        return Data(bytesNoCopy: start, count: filled, deallocator: .free)
    }

    package func write(_ parts: [Data], to path: String) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(errno, "create", path) }
        var failure = write(parts, to: descriptor, path)
        // A full quota shows at the latest here.
        if close(descriptor) != 0, failure == nil, errno != EINTR {
            failure = FileError(errno, "close", path)
        }
        guard let failure else { return }
        unlink(path)
        throw failure
    }

    private func write(_ parts: [Data], to descriptor: Int32, _ path: String) -> FileError? {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: parts.count) { vectors in
            gathering(parts[...], vectors) { write(vectors, to: descriptor, path) }
        }
    }

    /// Calls `body` when `vectors` say where all parts lie. Few parts: they are written by one call.
    private func gathering(
        _ parts: ArraySlice<Data>, _ vectors: UnsafeMutableBufferPointer<iovec>, _ body: () -> FileError?
    ) -> FileError? {
        guard let part = parts.first else { return body() }
        return part.withUnsafeBytes { bytes in
            let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            vectors.initializeElement(at: parts.startIndex, to: iovec(iov_base: base, iov_len: bytes.count))
            return gathering(parts.dropFirst(), vectors, body)
        }
    }

    /// Writes all in one call, mostly; what that leaves over, part by part.
    private func write(
        _ vectors: UnsafeMutableBufferPointer<iovec>, to descriptor: Int32, _ path: String
    ) -> FileError? {
        var written = 0
        repeat {
            written = writev(descriptor, vectors.baseAddress, Int32(vectors.count))
        } while written < 0 && errno == EINTR
        guard written >= 0 else { return FileError(errno, "write", path) }
        for vector in vectors {
            let done = min(written, vector.iov_len)
            written -= done
            guard done < vector.iov_len else { continue }
            let rest = UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len)[done...]
            if let failure = write(rest, to: descriptor, path) { return failure }
        }
        return nil
    }

    private func write(_ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32, _ path: String)
        -> FileError?
    {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        var written = 0
        while written < bytes.count, let start = bytes.baseAddress {
            let count = systemWrite(descriptor, start + written, bytes.count - written)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return FileError(count < 0 ? errno : ENOSPC, "write", path) }
            written += count
        }
        return nil
    }

    package func publish(_ temporary: String, at path: String) throws(FileError) -> FileStatus? {
        // Each try fails only where somebody else put or removed a file between its two steps.
        for _ in 0..<16 {
            if wi_rename_exclusively(temporary, path) == 0 { return nil }
            guard errno == EEXIST else { break }
            if wi_rename_exchange(temporary, path) == 0 { return try replaced(temporary, path) }
            guard errno == ENOENT else { break }
        }
        // Not every file system can do that; and where the folder is missing, this says so.
        let old = try? status(path)
        guard systemRename(temporary, path) == 0 else {
            let failure = FileError(errno, "rename", path)
            unlink(temporary)
            throw failure
        }
        return old
    }

    /// After an exchange, `temporary` is what had the name before.
    private func replaced(_ temporary: String, _ path: String) throws(FileError) -> FileStatus? {
        let old = try? status(temporary)
        if unlink(temporary) == 0 { return old }
        // A folder cannot be replaced: it gets its name back.
        let failure = FileError(errno, "replace", path)
        guard wi_rename_exchange(temporary, path) == 0 else { throw failure }
        unlink(temporary)
        throw failure
    }

    package func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 else { throw FileError(errno, "remove", path) }
    }

    package func rename(_ path: String, to target: String) throws(FileError) {
        guard systemRename(path, target) == 0 else { throw FileError(errno, "rename", path) }
    }

    package func makeFolder(_ path: String) throws(FileError) {
        if mkdir(path, 0o700) == 0 { return }
        let code = errno
        if code == EEXIST {
            guard (try? status(path))?.isRegular != true else {
                throw FileError(ENOTDIR, "make folder", path)
            }
            return
        }
        let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        guard code == ENOENT, !parent.isEmpty, parent != path else {
            throw FileError(code, "make folder", path)
        }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError(errno, "make folder", path) }
    }

    package func removeFolder(_ path: String) throws(FileError) {
        guard rmdir(path) == 0 else { throw FileError(errno, "remove folder", path) }
    }

    package func list(_ path: String) throws(FileError) -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW)
        guard descriptor >= 0 else { throw FileError(errno, "list", path) }
        guard let folder = fdopendir(descriptor) else {
            let failure = FileError(errno, "list", path)
            _ = close(descriptor)
            throw failure
        }
        defer { closedir(folder) }
        var names: [String] = []
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        while let entry = readdir(folder) {
            // In place: the record ends after the name, before the field's 256 bytes do.
            let start = (UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self)
            let name = String(cString: start)
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    package func status(_ path: String) throws(FileError) -> FileStatus {
        var info = stat()
        guard lstat(path, &info) == 0 else { throw FileError(errno, "stat", path) }
        return FileStatus(info)
    }

    package func sync(_ path: String) throws(FileError) {
        guard wi_sync_folder(path) == 0 else { throw FileError(errno, "sync", path) }
    }
}

extension FileStatus {
    fileprivate init(_ info: stat) {
        #if canImport(Darwin)
            let (accessed, modified) = (info.st_atimespec, info.st_mtimespec)
        #else
            let (accessed, modified) = (info.st_atim, info.st_mtim)
        #endif
        size = Int(info.st_size)
        accessedAt = Double(accessed.tv_sec) + Double(accessed.tv_nsec) / 1e9
        modifiedAt = Double(modified.tv_sec) + Double(modified.tv_nsec) / 1e9
        isRegular = info.st_mode & S_IFMT == S_IFREG
        isFolder = info.st_mode & S_IFMT == S_IFDIR
        owner = info.st_uid
        rights = UInt32(info.st_mode & 0o7777)
    }
}

// Inside the struct, its own methods hide the system's functions of the same names.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }
