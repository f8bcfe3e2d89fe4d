// SPDX-License-Identifier: MIT
public import WICore

/// How a ``CurlLoader`` behaves; every property has a default that is safe with strangers' URLs.
public struct CurlLoaderConfiguration: Sendable {
    // MARK: How much at once

    /// Transfers at once; others wait, the most urgent first.
    ///
    /// Default 64. ``CurlLoader/setMaximumTransfers(_:perHost:)`` changes it while the loader works.
    public var maximumTransfers = 64
    /// Transfers at once to one scheme, host and port.
    ///
    /// Default 6, as browsers do.
    public var maximumTransfersPerHost = 6

    // MARK: What is sent

    /// Fields that are sent with every request, unless the request has its own of that name.
    ///
    /// After a redirect to another scheme, host or port only those are sent on that tell nothing about who asks (`Accept…`,
    /// `User-Agent`, conditions); the same holds for the request's own fields. Default none.
    public var headers = HTTPHeaders()
    /// What is sent as `User-Agent`, where the request has none.
    ///
    /// Default `WebImage/0.1`.
    public var userAgent = "WebImage/0.1"
    /// Whether bodies may come compressed: `Accept-Encoding: gzip`.
    ///
    /// Servers compress what gains by it, SVG and BMP for example. Bodies are decompressed as they come, and a cut one is
    /// always noticed. Default yes.
    public var acceptsCompressedBodies = true

    // MARK: What is taken

    /// Redirects that are followed; one more is the error `redirectLimit`.
    ///
    /// Default 5.
    public var maximumRedirects = 5
    /// Bytes that the header fields of all answers to one request may have together; more is the error `network`.
    ///
    /// Default 256 KiB.
    public var maximumHeaderLength = ByteCount.kibibytes(256)

    // MARK: Time

    /// How long name resolution, connection and handshake may take; longer is the error `timeout`.
    ///
    /// Default 15 s.
    public var connectTimeout = Duration.seconds(15)
    /// How long nothing may come, where the request does not say; longer is the error `timeout`.
    ///
    /// A transfer that waits for its turn or for memory is not measured. Default 15 s.
    public var inactivityTimeout = Duration.seconds(15)

    // MARK: Safety

    /// Which addresses may be reached.
    ///
    /// Default all; ``AddressPolicy/publicOnly`` is for servers that load what strangers name.
    public var addressPolicy = AddressPolicy.unrestricted
    /// Which hosts may be asked.
    ///
    /// Default all.
    public var sourcePolicy = SourcePolicy()
    /// A file of certificates to trust, in PEM form; nil for the system's.
    public var certificateFile: String?

    /// The defaults; a proxy named by the environment (`http_proxy`, `https_proxy`, `no_proxy`) is used, as curl does.
    public init() {}
}
