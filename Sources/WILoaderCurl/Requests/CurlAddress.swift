// SPDX-License-Identifier: MIT
internal import CurlShim
internal import WICore

/// A URL as libcurl itself reads it, so that what is judged is what is asked: two parsers seldom agree on every oddity.
struct CurlAddress: Hashable, Sendable {
    /// Where a request goes: what is secret for one origin is no other's to know (RFC 6454).
    struct Origin: Hashable, Sendable {
        let scheme: String
        let host: String
        let port: Int
    }

    /// The whole URL.
    let text: String
    let origin: Origin
    /// Whether it names a user.
    let hasUser: Bool

    enum Failure: Error {
        case malformed
        /// A scheme that is neither http nor https.
        case otherScheme(String)
    }

    /// The URL of a text.
    init(_ text: String) throws(Failure) {
        guard let url = wi_url_new(text) else { throw .malformed }
        defer { wi_url_free(url) }
        try self.init(url)
    }

    /// What `location` means in an answer of this URL; user and password go with it to the same origin.
    func resolving(_ location: String) throws(Failure) -> CurlAddress {
        guard let url = wi_url_new(text) else { throw .malformed }
        defer { wi_url_free(url) }
        let user = Self.part(url, CURLUPART_USER)
        let password = Self.part(url, CURLUPART_PASSWORD)
        guard wi_url_resolve(url, location) else { throw .malformed }
        try Self.makeHostPlain(url)
        let target = try CurlAddress(url)
        guard target.origin == origin, let user, Self.part(url, CURLUPART_USER) == nil else { return target }
        guard wi_url_set(url, CURLUPART_USER, user) else { throw .malformed }
        if let password, !wi_url_set(url, CURLUPART_PASSWORD, password) { throw .malformed }
        return try CurlAddress(url)
    }

    private init(_ url: OpaquePointer) throws(Failure) {
        let scheme = Self.part(url, CURLUPART_SCHEME)?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else { throw .otherScheme(scheme) }
        guard let host = Self.part(url, CURLUPART_HOST), !host.isEmpty,
            let port = Self.part(url, CURLUPART_PORT).flatMap({ Int($0) }),
            let text = Self.part(url, CURLUPART_URL)
        else { throw .malformed }
        self.text = text
        hasUser = Self.part(url, CURLUPART_USER) != nil
        origin = Origin(scheme: scheme, host: Self.canonical(host), port: port)
    }

    /// A host of another script in the form that DNS knows, whatever the locale is.
    private static func makeHostPlain(_ url: OpaquePointer) throws(Failure) {
        guard let host = part(url, CURLUPART_HOST), !host.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x25 }) else {
            return
        }
        guard let plain = InternationalHost.ascii(host), wi_url_set(url, CURLUPART_HOST, plain) else {
            throw .malformed
        }
    }

    /// In lower case, without the dot of a name that says it is complete.
    static func canonical(_ host: String) -> String {
        let host = host.lowercased()
        return host.utf8.count > 1 && host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    private static func part(_ url: OpaquePointer, _ part: CURLUPart) -> String? {
        guard let text = wi_url_get(url, part) else { return nil }
        defer { wi_curl_free(text) }
        return String(cString: text)
    }
}
