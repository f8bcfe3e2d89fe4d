// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// Everything that can go wrong, as one value: what, where, with which URL, and what to do.
public struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong. An open set: later versions add codes.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as it stands in logs and JSON.
        public let rawValue: String
        /// A code of that name, for plug-ins with codes of their own.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name.
        public var description: String { rawValue }
    }

    /// Where in the way of a request it went wrong.
    public enum Stage: String, Hashable, Sendable {
        /// The request itself.
        case request
        /// Looking into a cache.
        case query
        /// Getting the bytes.
        case load
        /// Making pixels of bytes.
        case decode
        /// Changing pixels.
        case transform
        /// Making bytes of pixels.
        case encode
        /// Writing to a cache.
        case store
    }

    /// What went wrong.
    public var code: Code
    /// Where.
    public var stage: Stage
    /// The URL, without credentials and query values.
    public var url: String?
    /// Whether the same request may succeed later.
    public var isRetryable: Bool
    /// A sentence that names the input, the rule it broke, and what to do.
    public var message: String
    /// What the system or a library said.
    public var underlying: String?
    /// The status of an HTTP answer, where that is what went wrong.
    public var httpStatus: Int?

    /// An error with its sentence.
    public init(
        _ code: Code, stage: Stage, _ message: String, url: URL? = nil, isRetryable: Bool = false,
        underlying: String? = nil, httpStatus: Int? = nil
    ) {
        self.code = code
        self.stage = stage
        self.message = message
        self.url = url.map(redacted)
        self.isRetryable = isRetryable
        self.underlying = underlying
        self.httpStatus = httpStatus
    }

    /// The sentence, with the URL where it does not name it, and what lies beneath.
    public var description: String {
        var text = message
        if let url, !text.contains(url) { text += " (\(url))" }
        if let underlying { text += " [\(underlying)]" }
        return text
    }

    /// The same error naming `url`, unless it names one already.
    public func naming(_ url: URL?) -> ImageError {
        guard self.url == nil, let url else { return self }
        var copy = self
        copy.url = redacted(url)
        return copy
    }

    /// The error that `error` is, or one that wraps it.
    ///
    /// `CancellationError` becomes `cancelled`; whatever a plug-in throws otherwise becomes `code`.
    ///
    /// Where nobody has cancelled, `isCancelled` is false: what a plug-in cancels by itself is its failure.
    public static func wrapping(
        _ error: any Error, as code: Code, stage: Stage, url: URL? = nil, isCancelled: Bool = true
    ) -> ImageError {
        if let error = error as? ImageError, isCancelled || error.code != .cancelled {
            return error.naming(url)
        }
        if error is CancellationError, isCancelled { return .cancelled(stage, url: url) }
        return ImageError(
            code, stage: stage, "The \(stage.rawValue) stage failed.", url: url,
            underlying: String(describing: error))
    }

    /// The request was cancelled at `stage`.
    public static func cancelled(_ stage: Stage, url: URL? = nil) -> ImageError {
        ImageError(.cancelled, stage: stage, "The request was cancelled.", url: url, isRetryable: true)
    }
}

extension ImageError.Code {
    /// The URL is empty or is no URL.
    public static let invalidURL = Self(rawValue: "invalidURL")
    /// No loader takes this scheme.
    public static let unsupportedScheme = Self(rawValue: "unsupportedScheme")
    /// The URL failed a short while ago; `.retryFailed` asks again.
    public static let blocked = Self(rawValue: "blocked")
    /// The request was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The manager was shut down.
    public static let shutDown = Self(rawValue: "shutDown")
    /// The picture is not in the cache, and the request may not load it.
    public static let cacheMiss = Self(rawValue: "cacheMiss")
    /// The delegate said no.
    public static let vetoed = Self(rawValue: "vetoed")
    /// The server answered with a status that is no success.
    public static let httpStatus = Self(rawValue: "httpStatus")
    /// The network or the server failed.
    public static let network = Self(rawValue: "network")
    /// The host has no address.
    public static let hostNotFound = Self(rawValue: "hostNotFound")
    /// A connection could not be made safe: certificate or handshake.
    public static let tls = Self(rawValue: "tls")
    /// Nothing came for too long.
    public static let timeout = Self(rawValue: "timeout")
    /// More redirects than allowed.
    public static let redirectLimit = Self(rawValue: "redirectLimit")
    /// A redirect to a scheme that is not allowed.
    public static let redirectRefused = Self(rawValue: "redirectRefused")
    /// The body's content coding is unknown, or what is coded is damaged.
    public static let contentCoding = Self(rawValue: "contentCoding")
    /// A request modifier said no.
    public static let requestRefused = Self(rawValue: "requestRefused")
    /// A response modifier said no.
    public static let responseRefused = Self(rawValue: "responseRefused")
    /// A body could not be decrypted.
    public static let decryptionFailed = Self(rawValue: "decryptionFailed")
    /// The answer's content type is none that the loader accepts.
    public static let contentType = Self(rawValue: "contentType")
    /// A host that the loader's source policy does not allow.
    public static let sourceRefused = Self(rawValue: "sourceRefused")
    /// An address that the loader's address policy does not allow.
    public static let addressRefused = Self(rawValue: "addressRefused")
    /// The body ended before its stated length.
    public static let incompleteBody = Self(rawValue: "incompleteBody")
    /// A 304 came, although nothing was cached.
    public static let notModified = Self(rawValue: "notModified")
    /// The body is longer than the limit.
    public static let bodyLimit = Self(rawValue: "bodyLimit")
    /// More pixels than the limit, a side longer than the limit, or more than memory can address.
    public static let dimensionLimit = Self(rawValue: "dimensionLimit")
    /// More frames than the limit.
    public static let frameLimit = Self(rawValue: "frameLimit")
    /// More scans of a progressive JPEG than the limit.
    public static let scanLimit = Self(rawValue: "scanLimit")
    /// A metadata block larger than the limit.
    public static let metadataLimit = Self(rawValue: "metadataLimit")
    /// One decode would take more memory than all of them may hold.
    public static let memoryLimit = Self(rawValue: "memoryLimit")
    /// There was nothing: no bytes at all.
    public static let emptyData = Self(rawValue: "emptyData")
    /// The bytes are no picture that is known.
    public static let notAnImage = Self(rawValue: "notAnImage")
    /// A known format without a coder.
    public static let unsupportedFormat = Self(rawValue: "unsupportedFormat")
    /// A format that has a coder, with something that the coder does not do.
    public static let unsupportedFeature = Self(rawValue: "unsupportedFeature")
    /// The bytes break their format's rules.
    public static let corruptData = Self(rawValue: "corruptData")
    /// The bytes end too early for any picture.
    public static let truncatedData = Self(rawValue: "truncatedData")
    /// There was no memory.
    public static let outOfMemory = Self(rawValue: "outOfMemory")
    /// The encoded picture is longer than it may be, at any quality.
    public static let fileSizeLimit = Self(rawValue: "fileSizeLimit")
    /// A value that makes no sense where it was given.
    public static let invalidArgument = Self(rawValue: "invalidArgument")
    /// The picture could not be encoded.
    public static let encodeFailed = Self(rawValue: "encodeFailed")
    /// A transformer failed.
    public static let transformFailed = Self(rawValue: "transformFailed")
    /// The cache could not be read.
    public static let cacheRead = Self(rawValue: "cacheRead")
    /// The cache could not be written.
    public static let cacheWrite = Self(rawValue: "cacheWrite")
    /// There is no such file.
    public static let fileNotFound = Self(rawValue: "fileNotFound")
    /// The file cannot be read or written.
    public static let fileAccess = Self(rawValue: "fileAccess")
    /// A plug-in threw an error of its own.
    public static let pluginFailed = Self(rawValue: "pluginFailed")
}

/// Text that is no URL, for people and logs: what stands where a URL has user, password, query values and fragment is replaced.
package func redacted(_ text: String) -> String {
    var shown = Substring(text)
    if let start = shown.range(ofText: "://")?.upperBound {
        let end = shown[start...].firstIndex { "/?#".contains($0) } ?? shown.endIndex
        if let at = shown[start..<end].lastIndex(of: "@") { shown.replaceSubrange(start..<at, with: "…") }
    }
    if let mark = shown.firstIndex(where: { $0 == "?" || $0 == "#" }) {
        shown = shown[...mark] + "…"
    }
    return shown.utf8.count <= 100 ? String(shown) : String(shown.prefix(100)) + "…"
}

extension Substring {
    fileprivate func range(ofText text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}

/// The URL for people and logs: without user, password and fragment, query values replaced, long data cut.
package func redacted(_ url: URL) -> String {
    guard url.scheme?.lowercased() != "data" else {
        return String(url.absoluteString.prefix(32)) + (url.absoluteString.utf8.count > 32 ? "…" : "")
    }
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
        return "(unreadable URL)"
    }
    parts.user = nil
    parts.password = nil
    parts.fragment = nil
    if let items = parts.queryItems {
        parts.queryItems = items.map {
            $0.value == nil ? URLQueryItem(name: "…", value: nil) : URLQueryItem(name: $0.name, value: "…")
        }
    }
    let text = (parts.string ?? "(unreadable URL)").replacing("%E2%80%A6", with: "…")
    return text.utf8.count <= 500 ? text : String(text.prefix(500)) + "…"
}
