// SPDX-License-Identifier: MIT
internal import WICore

/// The head of an answer as its lines come; each status line begins another one (100, 103, redirects).
struct CurlResponse: Sendable {
    /// What a line was.
    enum Line: Hashable, Sendable {
        case status, field
        /// The empty line: the head is complete.
        case end
        /// All heads of this transfer together have more bytes than they may.
        case overLimit
    }

    /// The status, 0 before the first head.
    private(set) var status = 0
    private(set) var headers = HTTPHeaders()
    /// Redirecting answers so far.
    private(set) var redirects = 0
    private let limit: ByteCount
    /// Over all heads, so that a server cannot send informational ones without end.
    private var size = 0
    private var isBetweenHeads = true

    init(limit: ByteCount) { self.limit = limit }

    var isSuccess: Bool { (200..<300).contains(status) }

    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Line {
        size += bytes.count
        guard size <= limit.bytes else { return .overLimit }
        let line = Self.trimmed(bytes[...])
        if line.isEmpty {
            isBetweenHeads = true
            if (300..<400).contains(status) { redirects += 1 }
            return .end
        }
        if isBetweenHeads, line.starts(with: "HTTP/".utf8) {
            isBetweenHeads = false
            status = Self.status(line)
            headers = HTTPHeaders()
            return .status
        }
        // Trailers come after a head and are no part of it; a folded line is no field of its own (RFC 9112, 5.2).
        guard !isBetweenHeads, bytes[0] != UInt8(ascii: " "), bytes[0] != UInt8(ascii: "\t"),
            let colon = line.firstIndex(of: UInt8(ascii: ":"))
        else { return .field }
        headers.add(
            String(decoding: line[..<colon], as: UTF8.self),
            String(decoding: Self.trimmed(line[(colon + 1)...]), as: UTF8.self))
        return .field
    }

    private static func trimmed(_ line: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var line = line
        while let first = line.first, first <= UInt8(ascii: " ") { line = line.dropFirst() }
        while let last = line.last, last <= UInt8(ascii: " ") { line = line.dropLast() }
        return line
    }

    /// The three digits after the version.
    private static func status(_ line: Slice<UnsafeRawBufferPointer>) -> Int {
        let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
        return Int(String(decoding: digits, as: UTF8.self)) ?? 0
    }

    /// The stated length of the body, where it is that of the bytes handed on.
    var bodyLength: Int? {
        guard let length = headers["Content-Length"].flatMap({ Int($0) }), length >= 0,
            headers["Content-Encoding"] == nil, headers["Transfer-Encoding"] == nil
        else { return nil }
        return length
    }
}
