// SPDX-License-Identifier: MIT
internal import WebImage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How a command ended.
enum ExitStatus: Int32, Sendable {
    case success = 0
    case failure = 1
    case usage = 2
}

/// Where results go (standard output) and where complaints go (standard error).
///
/// A result that cannot be written is a failure of the command, which ``didFail`` tells at its end.
final class Console: Sendable {
    private struct State: Sendable {
        var failed = false
        /// What takes the progress line off the terminal before another line is written there.
        var clearLine: (@Sendable () -> Void)?
    }
    private let state = Locked(State())

    /// Whether standard error is a terminal that understands cursor movement.
    let showsProgress = isatty(2) == 1 && getenv("TERM").map { String(cString: $0) != "dumb" } ?? false

    /// Columns of the terminal behind standard error.
    var columns: Int {
        var size = winsize()
        if ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? 80
    }

    /// Whether something could not be written, or ``complain(_:_:)`` was called.
    var didFail: Bool { state.withLock { $0.failed } }

    func onLine(_ clear: (@Sendable () -> Void)?) { state.withLock { $0.clearLine = clear } }

    /// Writes a line of results.
    func print(_ line: String) {
        clearProgress()
        write(Array((line + "\n").utf8), to: 1)
    }

    func print(_ json: JSONValue) { print(json.text) }

    /// Writes bytes as they are to standard output.
    func print(bytes: [UInt8]) { write(bytes, to: 1) }

    /// Says on standard error, as one sentence on one line, what is wrong with `input`, and remembers the failure.
    func complain(_ input: String, _ error: ImageError) {
        state.withLock { $0.failed = true }
        note(sentence(input, error))
    }

    /// Says something on standard error that is no failure.
    func note(_ text: String) {
        clearProgress()
        write(Array("webimage: \(printable(text))\n".utf8), to: 2)
    }

    /// Writes to standard error as it is, for progress lines.
    func writeProgress(_ text: String) { write(Array(text.utf8), to: 2) }

    private func clearProgress() { state.withLock { $0.clearLine }?() }

    /// The error's sentence, with the input before it unless it is named there as a whole.
    private func sentence(_ input: String, _ error: ImageError) -> String {
        let text = printable(error.description)
        let name = printable(input)
        let forms = ["(\(name))", "“\(name)”", "\"\(name)\""]
        let isNamed = name.isEmpty || text.hasPrefix(name + " ") || forms.contains { text.contains($0) }
        return isNamed ? text : "\(name): \(text)"
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        let written = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        guard written != 0 else { return }
        if written == EPIPE { Interruption.outputIsClosed() }
        let first = state.withLock { state -> Bool in
            defer { state.failed = true }
            return !state.failed
        }
        if first, descriptor == 1 {
            note("standard output: The results cannot be written: \(systemMessage(written)).")
        }
    }
}
