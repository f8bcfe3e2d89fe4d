// SPDX-License-Identifier: MIT
public import WICore

/// Which hosts may be asked, judged before each request and again on every redirect; a refusal is the error
/// `sourceRefused`.
///
/// Hosts are judged by name, as the URL has them. What a name leads to is ``AddressPolicy``'s to judge.
public struct SourcePolicy: Hashable, Sendable {
    /// Hosts that may be asked; nil for all.
    public var allowed: [HostPattern]?
    /// Hosts that may not, also where `allowed` has them.
    public var refused: [HostPattern]

    /// A policy; without arguments every host may be asked.
    public init(allowed: [HostPattern]? = nil, refused: [HostPattern] = []) {
        self.allowed = allowed
        self.refused = refused
    }

    var isUnrestricted: Bool { allowed == nil && refused.isEmpty }

    func allows(_ origin: CurlAddress.Origin) -> Bool {
        if refused.contains(where: { $0.matches(origin) }) { return false }
        return allowed?.contains { $0.matches(origin) } ?? true
    }
}

/// A host or the hosts below it, on one port or on all.
public struct HostPattern: Hashable, Sendable {
    private let host: String
    private let isBelow: Bool
    private let port: Int?

    /// The pattern that a text stands for: `images.example`, `*.example` (every host below it, not itself), `*`, an address
    /// such as `192.0.2.1` or `[2001:db8::1]`; each with a port or without, `images.example:8080`.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument` when the text is none.
    public init(_ text: String) throws(ImageError) {
        var name = Substring(text)
        var port: Int?
        if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]") {
            port = Int(name[name.index(after: colon)...])
            guard let port, (1...65_535).contains(port) else { throw Self.invalid(text) }
            name = name[..<colon]
        }
        let isBelow = name == "*" || name.hasPrefix("*.")
        if isBelow { name = name.dropFirst(name == "*" ? 1 : 2) }
        let isAddress = name.hasPrefix("[")
        guard isBelow || !name.isEmpty, !name.contains("*"), !name.contains("/"), !name.contains("@"),
            isAddress ? !isBelow && name.hasSuffix("]") : !name.contains(":"),
            let host = isAddress || name.isEmpty ? name.lowercased() : InternationalHost.ascii(String(name))
        else { throw Self.invalid(text) }
        self.host = CurlAddress.canonical(host)
        self.isBelow = isBelow
        self.port = port
    }

    func matches(_ origin: CurlAddress.Origin) -> Bool {
        if let port, port != origin.port { return false }
        guard isBelow else { return origin.host == host }
        return host.isEmpty || origin.host.hasSuffix("." + host)
    }

    private static func invalid(_ text: String) -> ImageError {
        ImageError(
            .invalidArgument, stage: .request,
            "“\(text)” is no pattern of hosts; write it as images.example, *.example or images.example:8080.")
    }
}
