// SPDX-License-Identifier: MIT
internal import FoundationEssentials

/// A URL as loaders and keys take it: host in ASCII form and lower case, so that two spellings cannot make two keys.
struct NormalizedURL: Sendable {
    let url: URL
    /// The URL for keys: without fragment, user and password.
    let keyBase: String
    let hasCredentials: Bool
    /// What makes the URL unusable.
    let problem: ImageError?

    init(_ given: URL) {
        let text = given.absoluteString
        if Self.isNormal(text) {
            self.init(as: given, keyBase: text)
            return
        }
        guard let scheme = given.scheme?.lowercased(), !text.isEmpty else {
            self.init(as: given, problem: .invalidURL(text))
            return
        }
        guard scheme == "http" || scheme == "https" else {
            self.init(as: given)
            return
        }
        guard let host = given.host(), !host.isEmpty, let ascii = InternationalHost.ascii(host) else {
            self.init(as: given, problem: .invalidURL(text))
            return
        }
        let isNormal = ascii == host && given.scheme == scheme && given.user() == nil
        if isNormal, !text.utf8.contains(UInt8(ascii: "#")) {
            self.init(as: given)
        } else {
            self.init(rebuilding: given, scheme: scheme, host: ascii)
        }
    }

    /// Whether `text` is a URL of http or https that is its own key: scheme and host in lower case and ASCII, no credentials,
    /// no fragment. Most are, and one look says so.
    private static func isNormal(_ text: String) -> Bool {
        let bytes = text.utf8
        let host: Substring.UTF8View
        if bytes.starts(with: "https://".utf8) {
            host = bytes.dropFirst(8)
        } else if bytes.starts(with: "http://".utf8) {
            host = bytes.dropFirst(7)
        } else {
            return false
        }
        let end = host.firstIndex { !isPlain($0) } ?? host.endIndex
        guard end > host.startIndex, end == host.endIndex || host[end] == UInt8(ascii: "/") else {
            return false
        }
        // Of a name in Punycode, Foundation keeps another form beside this one.
        var before: UInt8 = 0
        for byte in host[..<end] {
            if byte == UInt8(ascii: "-"), before == byte { return false }
            before = byte
        }
        return !host[end...].contains(UInt8(ascii: "#"))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    private init(
        as url: URL, keyBase: String? = nil, hasCredentials: Bool = false, problem: ImageError? = nil
    ) {
        self.url = url
        self.keyBase = keyBase ?? url.absoluteString
        self.hasCredentials = hasCredentials
        self.problem = problem
    }

    private init(rebuilding given: URL, scheme: String, host: String) {
        guard var parts = URLComponents(url: given, resolvingAgainstBaseURL: true) else {
            self.init(as: given, problem: .invalidURL(given.absoluteString))
            return
        }
        parts.scheme = scheme
        parts.encodedHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        parts.fragment = nil
        guard let loaded = parts.url else {
            self.init(as: given, problem: .invalidURL(given.absoluteString))
            return
        }
        let hasCredentials = parts.user != nil || parts.password != nil
        parts.user = nil
        parts.password = nil
        self.init(as: loaded, keyBase: parts.string, hasCredentials: hasCredentials)
    }
}
