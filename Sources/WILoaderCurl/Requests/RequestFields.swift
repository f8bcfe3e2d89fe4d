// SPDX-License-Identifier: MIT
internal import WICore

/// The header fields of a request as lines.
struct RequestFields: Sendable {
    /// What is asked for where the request does not say.
    static let accept = "image/*,*/*;q=0.8"
    /// Fields that say nothing about who asks: all that another host is sent after a redirect.
    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt",
        "if-modified-since", "if-none-match", "if-range", "pragma", "range", "save-data", "user-agent",
    ]

    private struct Line: Sendable {
        let text: String
        let isHarmless: Bool
        let isAuthorization: Bool
    }

    private var stored: [Line] = []
    /// The lines to send.
    private(set) var lines: [String] = []

    /// The loader's fields, the request's in place of those of the same name, its validators as conditions, `Accept` and
    /// `Accept-Encoding`.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` when a name or value could smuggle another field.
    init(for request: LoadRequest, _ configuration: CurlLoaderConfiguration) throws(ImageError) {
        var names: Set<String> = []
        for field in request.headers.fields {
            names.insert(field.name.lowercased())
            try add(field, request)
        }
        for field in configuration.headers.fields where !names.contains(field.name.lowercased()) {
            try add(field, request)
        }
        for field in configuration.headers.fields { names.insert(field.name.lowercased()) }
        if !names.contains("accept") { add("Accept", Self.accept) }
        if configuration.acceptsCompressedBodies, !names.contains("accept-encoding"), !names.contains("range")
        {
            add("Accept-Encoding", ContentCoding.accepted)
        }
        // Validators are a server's words: what cannot be sent back is left out.
        if let tag = request.validators.entityTag, Self.isOneLine(tag) { add("If-None-Match", tag) }
        if let date = request.validators.lastModified, Self.isOneLine(date) { add("If-Modified-Since", date) }
    }

    /// Whether the request makes itself known.
    var hasAuthorization: Bool { stored.contains { $0.isAuthorization } }

    /// Whether there is anything that not everybody may know.
    var hasSecrets: Bool { stored.contains { !$0.isHarmless } }

    /// What another host may know.
    var withoutSecrets: RequestFields {
        var copy = self
        copy.stored.removeAll { !$0.isHarmless }
        copy.lines = copy.stored.map(\.text)
        return copy
    }

    private mutating func add(_ field: HTTPHeaders.Field, _ request: LoadRequest) throws(ImageError) {
        guard Self.isToken(field.name) else {
            throw Self.invalid(
                "\"\(field.name)\" is no name of a header field (RFC 9110, section 5.6.2).", request)
        }
        guard Self.isOneLine(field.value) else {
            throw Self.invalid(
                "The value of the header field \(field.name) has a line break or another control character; "
                    + "remove it (a token read from a file may end with one).", request)
        }
        if field.name.lowercased() == "accept-encoding", let coding = ContentCoding.foreign(in: field.value) {
            throw Self.invalid(
                "Accept-Encoding asks for the content coding “\(coding)”, which the loader cannot undo; leave the field "
                    + "out, or ask for gzip, deflate and identity alone.", request)
        }
        add(field.name, field.value)
    }

    /// libcurl takes `Name:` as "send no such field"; an empty value is written `Name;`.
    private mutating func add(_ name: String, _ value: String) {
        let isEmpty = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        let lowercased = name.lowercased()
        stored.append(
            Line(
                text: isEmpty ? "\(name);" : "\(name): \(value)",
                isHarmless: Self.harmless.contains(lowercased),
                isAuthorization: lowercased == "authorization"))
        lines.append(stored[stored.count - 1].text)
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    return true
                default: return "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    static func isOneLine(_ value: String) -> Bool {
        value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    private static func invalid(_ message: String, _ request: LoadRequest) -> ImageError {
        ImageError(.invalidArgument, stage: .load, message, url: request.url)
    }
}
