// SPDX-License-Identifier: MIT
package import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Loads `file:` URLs below one folder. No manager has it unless the program adds it.
///
/// Symbolic links are resolved before the check, so that none leads out of the folder.
public struct FileLoader: ImageLoading {
    private let root: String

    /// A loader for files below `root`.
    ///
    /// - Throws: ``ImageError`` with code `fileNotFound` when there is no such folder.
    public init(root: String) throws(ImageError) {
        guard let resolved = resolvedPath(root) else {
            throw ImageError(
                .fileNotFound, stage: .request, "There is no folder “\(root)” to load files from.")
        }
        self.root = resolved == "/" ? "/" : resolved + "/"
    }

    /// Whether the scheme is `file`.
    public func canLoad(_ request: LoadRequest) -> Bool { request.url.scheme?.lowercased() == "file" }

    /// Reads the file.
    ///
    /// - Throws: ``ImageError`` with code `fileAccess` when it is outside the folder or no plain file, `fileNotFound` when
    ///   it is not there, `bodyLimit` when it is too large.
    public func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        let path = request.url.path(percentEncoded: false)
        guard let resolved = resolvedPath(path) else { throw fileError(path, errno) }
        guard resolved.hasPrefix(root) else {
            throw ImageError(
                .fileAccess, stage: .load, "“\(path)” is outside the folder that files may be loaded from.",
                url: request.url)
        }
        return .data(try readFile(resolved, limit: request.bodyLimit), ResponseHead())
    }
}

private func resolvedPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

private func fileError(_ path: String, _ code: Int32) -> ImageError {
    let reason = String(cString: strerror(code))
    if code == ENOENT || code == ENOTDIR {
        return ImageError(.fileNotFound, stage: .load, "There is no file “\(path)”.", underlying: reason)
    }
    return ImageError(.fileAccess, stage: .load, "The file “\(path)” cannot be read: \(reason).")
}

/// The bytes of a plain file, read in one go into a buffer of its size. Blocks; for I/O threads.
package func readFile(_ path: String, limit: ByteCount = .unlimited) throws(ImageError) -> Data {
    do throws(FileError) {
        return try LocalFileSystem(followsLinks: true).read(path, limit: limit.bytes, usedSince: nil).data
    } catch {
        switch error.code {
        case EISDIR: throw ImageError(.fileAccess, stage: .load, "“\(path)” is no plain file.")
        case EFBIG:
            throw ImageError(.bodyLimit, stage: .load, "“\(path)” is longer than the limit of \(limit).")
        case ENOMEM: throw ImageError(.outOfMemory, stage: .load, "There is no memory to read “\(path)”.")
        default: throw fileError(path, error.code)
        }
    }
}
