// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WebImage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Writes a file so that a reader, or a failure on the way, never sees half of it.
enum OutputFile {
    /// Writes `data` to a temporary file beside `path` and renames it.
    ///
    /// A link is followed, also one to a file that is not there yet; what is no plain file (a device, a pipe) is written
    /// to as it is. A new file has the rights that the user's mask leaves, an old one keeps its own.
    /// - Throws: ``ImageError`` with code `fileAccess` or `fileNotFound`.
    static func write(_ data: Data, to path: RawText) throws(ImageError) {
        let target = try target(of: path)
        switch target.kind {
        case .missing: try replace(target.path, data, mode: nil)
        case .file(let mode): try replace(target.path, data, mode: mode)
        case .other: try writeInPlace(target.path, data)
        }
    }

    private static func replace(_ path: RawText, _ data: Data, mode: mode_t?) throws(ImageError) {
        let temporary = temporaryName(beside: path)
        let descriptor = Leftovers.shared.noting(temporary) {
            temporary.withPath { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        }
        defer { Leftovers.shared.forget(temporary) }
        guard descriptor >= 0 else { throw fileError(.store, path, "cannot be written", errno) }
        if let mode { fchmod(descriptor, mode) }
        var number = data.withUnsafeBytes { writeAll($0, to: descriptor) }
        if close(descriptor) != 0, number == 0 { number = errno }
        if number == 0 {
            number = temporary.withPath { old in path.withPath { rename(old, $0) } } == 0 ? 0 : errno
        }
        guard number != 0 else { return }
        temporary.withPath { _ = unlink($0) }
        throw fileError(.store, path, "cannot be written", number)
    }

    private static func writeInPlace(_ path: RawText, _ data: Data) throws(ImageError) {
        let descriptor = path.withPath { open($0, O_WRONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw fileError(.store, path, "cannot be written", errno) }
        var number = data.withUnsafeBytes { writeAll($0, to: descriptor) }
        if close(descriptor) != 0, number == 0 { number = errno }
        guard number == 0 else { throw fileError(.store, path, "cannot be written", number) }
    }

    /// In the same folder, for a rename must not cross file systems; short, for the name itself may be at the limit.
    private static func temporaryName(beside path: RawText) -> RawText {
        let folder = path.bytes.dropLast(path.lastComponent.bytes.count)
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        return RawText(Array(folder) + Array(".webimage-\(number).tmp".utf8))
    }
}

extension OutputFile {
    /// Writes `data` to standard output as it is.
    ///
    /// - Throws: ``ImageError`` with code `fileAccess`.
    static func writeToStandardOutput(_ data: Data) throws(ImageError) {
        let number = data.withUnsafeBytes { writeAll($0, to: 1) }
        if number == EPIPE { Interruption.outputIsClosed() }
        if number != 0 { throw fileError(.store, "standard output", "cannot be written", number) }
    }
}
