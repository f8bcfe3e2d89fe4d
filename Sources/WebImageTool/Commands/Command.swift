// SPDX-License-Identifier: MIT

/// One of the tool's commands: made of its arguments, then run.
protocol Command: Sendable {
    static var specification: CommandSpecification { get }
    init(_ arguments: ParsedArguments) throws(UsageError)
    func run(_ console: Console) -> ExitStatus
}

extension RawText {
    /// Whether it begins as a URL does (RFC 3986, section 3.1), so that it is no file.
    ///
    /// A file of such a name is reached as `./http:…`.
    var isURL: Bool {
        let scheme = text.prefix { $0 != ":" }
        guard let first = scheme.utf8.first, scheme.utf8.count < bytes.count, isLetter(first) else {
            return false
        }
        let rest = text.dropFirst(scheme.count)
        guard rest.hasPrefix("://") || scheme.lowercased() == "data" else { return false }
        return scheme.utf8.allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
