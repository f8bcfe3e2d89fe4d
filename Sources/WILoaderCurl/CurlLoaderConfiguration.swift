// SPDX-License-Identifier: MIT
public import WICore

/// How a ``CurlLoader`` behaves; every property has a default that is safe with strangers' URLs.
public struct CurlLoaderConfiguration: Sendable {
    /// Which of two waiting requests of one priority goes first.
    public enum Order: Hashable, Sendable {
        /// The one that came first.
        case firstInFirstOut
        /// The one that came last: what somebody has just scrolled to.
        case lastInFirstOut
    }

    // MARK: How much at once

    /// Transfers at once; others wait, the most urgent first.
    ///
    /// Default 64. ``CurlLoader/setMaximumTransfers(_:perHost:)`` changes it while the loader works.
    public var maximumTransfers = 64
    /// Transfers at once to one scheme, host and port.
    ///
    /// Default 6, as browsers do.
    public var maximumTransfersPerHost = 6
    /// Which of two waiting requests of one priority goes first.
    ///
    /// Default the one that came first.
    public var order = Order.firstInFirstOut
    /// Transfers that may start in a second, redirects and retries among them; a second's worth may be saved up.
    ///
    /// Default nil, no limit.
    public var maximumStartsPerSecond: Double?

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
    /// always noticed. `br` and `zstd` are never asked for: they would take libraries of their own, and what libcurl itself
    /// decodes may end early unnoticed. Default yes.
    public var acceptsCompressedBodies = true
    /// How the loader makes itself known; the first that fits a host counts.
    ///
    /// Default none.
    public var credentials: [Credential] = []
    /// Whether cookies are kept and sent back, as long as the loader lives.
    ///
    /// Default no. Pictures that differ by cookie want a cache of their own.
    public var handlesCookies = false
    /// Changes requests before they are sent, unless the request's context has a modifier of its own.
    public var requestModifier: RequestModifier?

    // MARK: What is taken

    /// Statuses of answers whose body is wanted; nil takes all but 304, 1xx and redirects.
    ///
    /// Default 200 to 299; others are the error `httpStatus`.
    public var acceptableStatuses: Set<Int>? = Set(200..<300)
    /// Content types that are taken, in lower case and without parameters, such as `image/png`; nil takes all.
    ///
    /// Default nil. An answer that names none is taken; another one is the error `contentType`.
    public var acceptableContentTypes: Set<String>?
    /// Redirects that are followed; one more is the error `redirectLimit`.
    ///
    /// Default 5.
    public var maximumRedirects = 5
    /// Bytes that the header fields of all answers to one request may have together; more is the error `network`.
    ///
    /// Default 256 KiB.
    public var maximumHeaderLength = ByteCount.kibibytes(256)
    /// Changes heads of answers before they are judged, unless the request's context has a modifier of its own.
    public var responseModifier: ResponseModifier?
    /// Makes pictures of bodies, unless the request's context has a decryptor of its own.
    public var decryptor: Decryptor?

    // MARK: Time

    /// How long name resolution, connection and handshake may take; longer is the error `timeout`.
    ///
    /// Default 15 s.
    public var connectTimeout = Duration.seconds(15)
    /// How long the first byte of an answer may take, connection included; longer is the error `timeout`.
    ///
    /// Default nil: `inactivityTimeout` holds.
    public var firstByteTimeout: Duration?
    /// How long nothing may come, where the request does not say; longer is the error `timeout`.
    ///
    /// A transfer that waits for its turn or for memory is not measured. Default 15 s.
    public var inactivityTimeout = Duration.seconds(15)
    /// The least speed of a transfer, once its answer has begun; a slower one is the error `timeout`.
    ///
    /// Default nil, none.
    public var lowSpeedLimit: LowSpeedLimit?
    /// What is tried again, and when.
    ///
    /// Default two retries; see ``RetryPolicy``.
    public var retryPolicy = RetryPolicy()

    /// Where the beginnings of bodies are kept that were cut off or cancelled.
    ///
    /// Default nil: nowhere; `ImageManager.standard` keeps them beside its disk cache. A body that is cut off is continued
    /// within its load in any case, where the server allows it.
    public var partialDownloads: PartialDownloads?

    // MARK: The way to the server

    /// The proxy.
    ///
    /// Default the environment's, as curl does; none under an ``addressPolicy``.
    public var proxy = ProxyChoice.environment
    /// A unix-domain socket that all requests go to, whatever host they name.
    public var unixSocket: String?
    /// A file of certificates to trust, in PEM form; nil for the system's.
    public var certificateFile: String?
    /// Certificates by which the loader makes itself known; the first that fits a host counts.
    public var clientCertificates: [ClientCertificate] = []

    // MARK: Safety

    /// Which addresses may be reached.
    ///
    /// Default all; ``AddressPolicy/publicOnly`` is for servers that load what strangers name.
    public var addressPolicy = AddressPolicy.unrestricted
    /// Which hosts may be asked.
    ///
    /// Default all.
    public var sourcePolicy = SourcePolicy()

    // MARK: Observation

    /// Told what happens to transfers, on the loader's thread: it must not wait.
    ///
    /// ``CurlLoader/events(keeping:)`` tells the same from any task.
    public var observer: (@Sendable (TransferEvent) -> Void)?

    /// The defaults.
    public init() {}

    /// Whether a host must be known before it is asked.
    var dependsOnHosts: Bool {
        !sourcePolicy.isUnrestricted || !credentials.isEmpty || !clientCertificates.isEmpty
    }
}
