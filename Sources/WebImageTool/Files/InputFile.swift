// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Reads what the user named: a file, or standard input as `-`.
enum InputFile {
    /// The longest input taken, so that a device without an end does not take all memory.
    static let limit = ByteCount.gibibytes(1)

    /// The whole file.
    ///
    /// - Throws: ``ImageError`` with code `fileNotFound`, `fileAccess` or `bodyLimit`.
    static func contents(of path: RawText) throws(ImageError) -> Data {
        if path.isStandardStream { return try contents(of: 0, "standard input", expected: 0) }
        let descriptor = path.withPath { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw fileError(.load, path, "cannot be opened", errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw fileError(.load, path, "cannot be read", errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw fileError(.load, path, "cannot be read", EISDIR)
        }
        return try contents(of: descriptor, path, expected: Int(status.st_size))
    }

    private static func contents(
        of descriptor: Int32, _ path: RawText, expected: Int
    ) throws(ImageError) -> Data {
        guard expected <= limit.bytes else { throw tooLong(path) }
        var data = Data()
        data.reserveCapacity(expected)
        while true {
            let (chunk, number) = chunk(of: descriptor, expected - data.count)
            if number == EINTR { continue }
            guard number == 0 else { throw fileError(.load, path, "cannot be read", number) }
            if chunk.isEmpty { return data }
            guard data.count + chunk.count <= limit.bytes else { throw tooLong(path) }
            if data.isEmpty { data = chunk } else { data.append(chunk) }
        }
    }

    /// What one read gives, into memory of its own size: a whole file needs no copy.
    private static func chunk(of descriptor: Int32, _ missing: Int) -> (Data, Int32) {
        let room = max(missing, 65_536)
        guard let memory = malloc(room) else { return (Data(), ENOMEM) }
        let count = read(descriptor, memory, room)
        let number = count < 0 ? errno : 0
        guard count > 0 else {
            free(memory)
            return (Data(), number)
        }
        return (Data(bytesNoCopy: memory, count: count, deallocator: .free), 0)
    }

    private static func tooLong(_ path: RawText) -> ImageError {
        ImageError(
            .bodyLimit, stage: .load,
            "\(printable(path.text)) is longer than \(limit), the most that is read.")
    }
}
