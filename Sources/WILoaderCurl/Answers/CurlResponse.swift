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
    private let limit: ByteCount
    /// Over all heads, so that a server cannot send informational ones without end.
    private var size = 0
    private var isBetweenHeads = true

    init(limit: ByteCount) { self.limit = limit }

    /// Makes ready for the answer to another request of the same transfer; the limit goes on.
    mutating func beginAnother() {
        status = 0
        headers = HTTPHeaders()
        isBetweenHeads = true
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Line {
        size += bytes.count
        guard size <= limit.bytes else { return .overLimit }
        let line = Self.trimmed(bytes, 0..<bytes.count)
        if line.isEmpty {
            defer { isBetweenHeads = true }
            // Trailers end so too.
            return isBetweenHeads ? .field : .end
        }
        if isBetweenHeads, Self.isStatusLine(bytes, line) {
            isBetweenHeads = false
            status = Self.status(bytes, line)
            headers = HTTPHeaders()
            headers.reserveCapacity(16)
            return .status
        }
        // Trailers come after a head and are no part of it; a folded line is no field of its own (RFC 9112, 5.2).
        guard !isBetweenHeads, line.lowerBound == 0, let colon = line.first(where: { bytes[$0] == 0x3A })
        else { return .field }
        let value = Self.trimmed(bytes, colon + 1..<line.upperBound)
        headers.add(
            String(decoding: bytes[line.lowerBound..<colon], as: UTF8.self),
            String(decoding: bytes[value], as: UTF8.self))
        return .field
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var (first, end) = (range.lowerBound, range.upperBound)
        while first < end, bytes[first] <= 0x20 { first += 1 }
        while first < end, bytes[end - 1] <= 0x20 { end -= 1 }
        return first..<end
    }

    private static func isStatusLine(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Bool {
        bytes[line].starts(with: "HTTP/".utf8)
    }

    /// The three digits after the version.
    private static func status(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Int {
        let digits = bytes[line].drop { $0 != 0x20 }.dropFirst().prefix(3)
        return digits.reduce(0 as Int?) { number, digit in
            guard let number, (0x30...0x39).contains(digit) else { return nil }
            return number * 10 + Int(digit &- 0x30)
        } ?? 0
    }

    /// What a head says about the length of its body.
    enum StatedLength: Hashable, Sendable {
        /// Nothing, or nothing about the bytes that are handed on.
        case none
        /// A number of bytes; one beyond all numbers is the greatest.
        case bytes(Int)
        /// Two lengths: whoever believes the other one sees another body (RFC 9112, section 6.3).
        case contradictory
    }

    var statedLength: StatedLength {
        guard let field = headers["Content-Length"], headers["Transfer-Encoding"] == nil else { return .none }
        var stated: Int?
        for text in field.split(separator: ",") {
            let digits = text.drop { $0 == " " }
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return .none
            }
            let length = Int(digits) ?? .max
            guard stated == nil || stated == length else { return .contradictory }
            stated = length
        }
        let isPlain = ContentCoding(field: headers["Content-Encoding"]) == .identity
        return stated.flatMap { isPlain ? .bytes($0) : nil } ?? .none
    }
}
