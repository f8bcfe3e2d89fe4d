// SPDX-License-Identifier: MIT

/// Bytes from the command line or for it: a file name need not be UTF-8, and has to open nevertheless.
struct RawText: Hashable, Sendable, ExpressibleByStringLiteral {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(_ text: String) { bytes = Array(text.utf8) }
    init(stringLiteral text: String) { self.init(text) }

    /// For messages, JSON and URLs; invalid UTF-8 shows as U+FFFD.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    var isEmpty: Bool { bytes.isEmpty }
    var isStandardStream: Bool { bytes == [UInt8(ascii: "-")] }

    /// What follows the last slash.
    var lastComponent: RawText {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return self }
        return RawText(Array(bytes[(slash + 1)...]))
    }

    /// What follows the last dot of the last component, without the dot; empty where there is none.
    var fileExtension: String {
        let name = lastComponent.bytes
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return "" }
        return String(decoding: name[(dot + 1)...], as: UTF8.self)
    }

    func appending(_ more: RawText) -> RawText { RawText(bytes + more.bytes) }

    /// `name` inside this folder.
    func appending(component name: RawText) -> RawText {
        let needsSlash = bytes.last != UInt8(ascii: "/")
        return RawText(bytes + (needsSlash ? [UInt8(ascii: "/")] : []) + name.bytes)
    }

    /// Every `/` replaced by `__`, so that a path becomes one name.
    var flattened: RawText {
        RawText(bytes.flatMap { $0 == UInt8(ascii: "/") ? Array("__".utf8) : [$0] })
    }

    /// Calls `body` with the bytes as C wants a path.
    func withPath<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        let characters = bytes.map { CChar(bitPattern: $0) } + [0]
        return try characters.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return try "".withCString(body) }
            return try body(base)
        }
    }
}
