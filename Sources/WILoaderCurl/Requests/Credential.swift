// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// How a loader makes itself known to some hosts.
///
/// It is sent to hosts of its pattern and to no others, also after a redirect; a request with an `Authorization` field of
/// its own, or with a user in its URL, keeps that.
public struct Credential: Sendable {
    enum Kind: Sendable {
        case basic(user: String, password: String)
        case digest(user: String, password: String)
        case bearer(String)
    }

    let kind: Kind
    private let hosts: HostPattern

    /// User and password as they are (RFC 7617): for https.
    public static func basic(user: String, password: String, for hosts: HostPattern) -> Credential {
        Credential(kind: .basic(user: user, password: password), hosts: hosts)
    }

    /// User and password, of which only a digest is sent (RFC 7616), once the server asks for it.
    public static func digest(user: String, password: String, for hosts: HostPattern) -> Credential {
        Credential(kind: .digest(user: user, password: password), hosts: hosts)
    }

    /// A token (RFC 6750): for https.
    public static func bearer(_ token: String, for hosts: HostPattern) -> Credential {
        Credential(kind: .bearer(token), hosts: hosts)
    }

    func applies(to origin: CurlAddress.Origin) -> Bool { hosts.matches(origin) }

    /// The line to send from the start; nil where libcurl answers the server's question.
    var line: String? {
        switch kind {
        case .basic(let user, let password):
            "Authorization: Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .bearer(let token): RequestFields.isOneLine(token) ? "Authorization: Bearer \(token)" : nil
        case .digest: nil
        }
    }
}

/// A certificate by which a loader makes itself known to some hosts.
public struct ClientCertificate: Sendable {
    let certificateFile: String
    let keyFile: String?
    let password: String?
    private let hosts: HostPattern

    /// A certificate in a file in PEM form, its key in another where it is not in the same.
    public init(
        certificateFile: String, keyFile: String? = nil, password: String? = nil, for hosts: HostPattern
    ) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.password = password
        self.hosts = hosts
    }

    func applies(to origin: CurlAddress.Origin) -> Bool { hosts.matches(origin) }
}

/// The way to a server.
public enum ProxyChoice: Hashable, Sendable {
    /// The proxy that the environment names (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`), as curl does.
    case environment
    /// Straight to the server.
    case none
    /// This proxy: `http://user:password@proxy.example:3128`, `socks5h://…`.
    ///
    /// It goes with no ``AddressPolicy``, since the proxy would choose the address.
    case url(String)
}
