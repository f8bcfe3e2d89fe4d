// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import WICore

/// One URL on a transfer's way, and what is sent there.
struct Hop: Sendable {
    let url: URL?
    /// The URL as libcurl is given it.
    let text: String
    let lines: [String]
    /// What libcurl answers with where the server asks for a digest.
    let digest: Credential?
    let certificate: ClientCertificate?
    private let fields: RequestFields
    /// Whose cap on concurrent transfers counts.
    let host: String
    let usesTLS: Bool

    /// The first: the request's own.
    ///
    /// - Throws: ``ImageError`` with code `sourceRefused`, or `invalidURL` where the configuration depends on the host.
    init(
        _ url: URL, _ fields: RequestFields, _ configuration: CurlLoaderConfiguration
    ) throws(ImageError) {
        guard configuration.dependsOnHosts else {
            self.init(asGiven: url, fields)
            return
        }
        let address: CurlAddress
        do throws(CurlAddress.Failure) {
            address = try CurlAddress(url.absoluteString)
        } catch {
            throw ImageError(.invalidURL, stage: .load, "The URL is malformed.", url: url)
        }
        guard configuration.sourcePolicy.allows(address.origin) else { throw .sourceRefused(address, url) }
        self.init(address, fields, configuration)
    }

    /// Where nobody judges it, it is read once: by libcurl.
    private init(asGiven url: URL, _ fields: RequestFields) {
        self.url = url
        self.fields = fields
        text = url.absoluteString
        lines = fields.lines
        digest = nil
        certificate = nil
        let scheme = url.scheme?.lowercased()
        usesTLS = scheme == "https"
        host = "\(scheme ?? "")://\(url.host()?.lowercased() ?? ""):\(url.port ?? (usesTLS ? 443 : 80))"
    }

    private init(
        _ address: CurlAddress, _ fields: RequestFields, _ configuration: CurlLoaderConfiguration
    ) {
        url = URL(string: address.text)
        self.fields = fields
        text = address.text
        let origin = address.origin
        usesTLS = origin.scheme == "https"
        host = "\(origin.scheme)://\(origin.host):\(origin.port)"
        certificate = configuration.clientCertificates.first { $0.applies(to: origin) }
        // What the request says of itself goes before what the loader says.
        let isKnown = address.hasUser || fields.hasAuthorization
        let credential = isKnown ? nil : configuration.credentials.first { $0.applies(to: origin) }
        digest = credential?.line == nil ? credential : nil
        lines = fields.lines + (credential?.line.map { [$0] } ?? [])
    }

    /// Where `location` in this hop's answer leads; another origin is told no secrets.
    ///
    /// - Throws: ``ImageError`` with code `redirectRefused` or `sourceRefused`.
    func next(_ location: String, _ configuration: CurlLoaderConfiguration) throws(ImageError) -> Hop {
        let (here, there) = try addresses(location)
        guard configuration.sourcePolicy.allows(there.origin) else { throw .sourceRefused(there, url) }
        return Hop(there, there.origin == here.origin ? fields : fields.withoutSecrets, configuration)
    }

    private func addresses(_ location: String) throws(ImageError) -> (CurlAddress, CurlAddress) {
        do throws(CurlAddress.Failure) {
            let here = try CurlAddress(text)
            return (here, try here.resolving(location))
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

extension ImageError {
    fileprivate static func sourceRefused(_ address: CurlAddress, _ url: URL?) -> ImageError {
        ImageError(
            .sourceRefused, stage: .load,
            "The host “\(address.origin.host):\(address.origin.port)” may not be asked; the loader's source policy "
                + "does not allow it.", url: url)
    }
}
