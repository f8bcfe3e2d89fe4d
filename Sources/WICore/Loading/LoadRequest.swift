// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// How urgently something is wanted.
public enum LoadPriority: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// After everything else: prefetching.
    case low
    /// The default.
    case normal
    /// Before everything else: what somebody looks at.
    case high

    /// By urgency.
    public static func < (left: LoadPriority, right: LoadPriority) -> Bool { left.rawValue < right.rawValue }
}

/// What a stored answer says of itself, to ask a server whether it changed.
public struct Validators: Hashable, Sendable {
    /// The `ETag` field.
    public var entityTag: String?
    /// The `Last-Modified` field.
    public var lastModified: String?

    /// Validators as they stood in an answer.
    public init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// Whether there is nothing to ask with.
    public var isEmpty: Bool { entityTag == nil && lastModified == nil }
}

/// What a loader is asked for: the bytes behind a URL.
public struct LoadRequest: Sendable {
    /// The URL; its host is in ASCII form (`xn--`).
    public var url: URL
    /// Fields to send beside the loader's own.
    public var headers: HTTPHeaders
    /// Asks the server whether the stored answer is still good; a 304 is then a success.
    public var validators: Validators
    /// How urgent the request is when it starts.
    public var priority: LoadPriority
    /// Bytes that the body may have after decompression. Default 64 MiB; error `bodyLimit`.
    public var bodyLimit: ByteCount
    /// How long nothing may come before the load ends with `timeout`. Nil leaves it to the loader (15 seconds).
    public var inactivityTimeout: Duration?
    /// How long the whole load may take. Nil is without limit.
    public var totalTimeout: Duration?
    /// Whether certificates are taken unchecked, for this request alone. Default no.
    public var allowsInvalidCertificates: Bool
    /// The request's whole context, for loaders with keys of their own.
    public var context: ImageContext

    /// A request for the bytes behind `url`.
    public init(
        url: URL, headers: HTTPHeaders = HTTPHeaders(), validators: Validators = Validators(),
        priority: LoadPriority = .normal, bodyLimit: ByteCount = .mebibytes(64),
        inactivityTimeout: Duration? = nil, totalTimeout: Duration? = nil,
        allowsInvalidCertificates: Bool = false, context: ImageContext = ImageContext()
    ) {
        self.url = url
        self.headers = headers
        self.validators = validators
        self.priority = priority
        self.bodyLimit = bodyLimit
        self.inactivityTimeout = inactivityTimeout
        self.totalTimeout = totalTimeout
        self.allowsInvalidCertificates = allowsInvalidCertificates
        self.context = context
    }
}

/// The head of an answer.
public struct ResponseHead: Hashable, Sendable {
    /// The HTTP status; nil from loaders without one.
    public var status: Int?
    /// The fields.
    public var headers: HTTPHeaders
    /// The URL that answered, after redirects.
    public var url: URL?
    /// Bytes of the body where the answer says so and they are not compressed.
    public var expectedLength: Int?

    /// The head of an answer.
    public init(
        status: Int? = nil, headers: HTTPHeaders = HTTPHeaders(), url: URL? = nil, expectedLength: Int? = nil
    ) {
        self.status = status
        self.headers = headers
        self.url = url
        self.expectedLength = expectedLength
    }
}
