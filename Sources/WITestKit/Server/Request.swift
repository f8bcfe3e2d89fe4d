// SPDX-License-Identifier: MIT

/// A request as the test server received it.
package struct Request: Sendable {
    /// The method, for example `GET`.
    package let method: String
    /// The path as it was sent, without the query.
    package let path: String
    /// What followed the first `?`, or nil.
    package let query: String?
    /// Header fields in the order in which they came.
    package let headers: [Header]
    /// The how-manieth request for this path it is, from 1.
    package let ordinal: Int
    /// The how-manieth connection of the server it came on, from 1.
    package let connection: Int

    /// A header field.
    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// The value of the first header field of this name, in any case; nil where there is none.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// The head of a request before the server has numbered it.
struct RequestHead {
    let method: String
    let target: String
    let headers: [Request.Header]
    /// Whether the client lets the connection be used again (RFC 9112, section 9.3).
    let keepsAlive: Bool
    let bodyLength: Int

    /// Parses the bytes up to the empty line; nil where they are no HTTP/1 request.
    init?(_ bytes: ArraySlice<UInt8>) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        method = String(words[0])
        target = String(words[1])
        let fields: [Request.Header] = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return Request.Header(name: String(line[..<colon]), value: String(value))
        }
        func value(_ name: String) -> String? {
            fields.first { $0.name.lowercased() == name }?.value.lowercased()
        }
        headers = fields
        let connection = value("connection")
        keepsAlive = words[2] == "HTTP/1.0" ? connection == "keep-alive" : connection != "close"
        bodyLength = value("content-length").flatMap { Int($0) } ?? 0
    }

    /// Where the head in `bytes` ends, behind its empty line; nil while that has not come.
    static func end(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4)
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10
        {
            return index + 4
        }
        return nil
    }
}
