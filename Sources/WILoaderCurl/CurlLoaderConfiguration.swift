// SPDX-License-Identifier: MIT

/// How a ``CurlLoader`` behaves. Every property has a default that is safe with strangers' URLs.
public struct CurlLoaderConfiguration: Sendable {
    /// Transfers at once. Default 64.
    public var maximumTransfers = 64
    /// Transfers at once to one host. Default 6, as browsers do.
    public var maximumTransfersPerHost = 6
    /// Redirects that are followed. Default 5. Error `redirectLimit`.
    public var maximumRedirects = 5
    /// How long a connection may take. Default 15 s. Error `timeout`.
    public var connectTimeout = Duration.seconds(15)
    /// How long nothing may come; a transfer that waits for memory is not measured. Default 15 s. Error `timeout`.
    public var inactivityTimeout = Duration.seconds(15)
    /// The `User-Agent` field. Default `WebImage/0.1`.
    public var userAgent = "WebImage/0.1"
    /// A file of certificates to trust, in PEM form. Default: the system's.
    public var certificateFile: String?

    /// The defaults. A proxy named by the environment (`http_proxy`, `https_proxy`, `no_proxy`) is used, as libcurl does.
    public init() {}
}
