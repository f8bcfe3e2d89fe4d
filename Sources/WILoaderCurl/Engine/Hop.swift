// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// One URL on a transfer's way, and what is sent there.
struct Hop: Sendable {
    let url: URL?
    /// The URL as libcurl is given it.
    let text: String
    let lines: [String]
    private let fields: RequestFields
    /// Whose cap on concurrent transfers counts.
    let host: String
    let usesTLS: Bool

    /// The first: the request's own.
    init(_ url: URL, _ fields: RequestFields) {
        self.url = url
        self.fields = fields
        text = url.absoluteString
        lines = fields.lines
        let scheme = url.scheme?.lowercased()
        usesTLS = scheme == "https"
        host = "\(scheme ?? "")://\(url.host()?.lowercased() ?? ""):\(url.port ?? (usesTLS ? 443 : 80))"
    }

    private init(_ address: CurlAddress, _ fields: RequestFields) {
        url = URL(string: address.text)
        self.fields = fields
        text = address.text
        lines = fields.lines
        usesTLS = address.origin.scheme == "https"
        host = "\(address.origin.scheme)://\(address.origin.host):\(address.origin.port)"
    }

    /// Where `location` in this hop's answer leads; another origin is told no secrets.
    ///
    /// - Throws: ``ImageError`` with code `redirectRefused`.
    func next(_ location: String) throws(ImageError) -> Hop {
        do throws(CurlAddress.Failure) {
            let here = try CurlAddress(text)
            let there = try here.resolving(location)
            return Hop(there, there.origin == here.origin ? fields : fields.withoutSecrets)
        } catch {
            switch error {
            case .malformed:
                throw ImageError(
                    .redirectRefused, stage: .load, "The server redirects to something that is no URL.",
                    url: url)
            case .otherScheme:
                throw ImageError(
                    .redirectRefused, stage: .load,
                    "The server redirects to a scheme that is not followed; only http and https are.",
                    url: url)
            }
        }
    }
}
