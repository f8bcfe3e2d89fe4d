// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// What a load came to.
public enum LoadResult: Sendable {
    /// The body went through the sink; this is its head.
    case streamed
    /// The whole body at once, for loaders that have it.
    case data(Data, ResponseHead)
    /// A picture, for loaders that make pixels themselves. Nothing of it is stored as an original.
    case image(DecodedImage)
    /// The stored answer is still good (HTTP 304).
    case notModified(ResponseHead)
}

/// Turns a request into bytes, or straight into a picture. A loader of your own is this one async function.
public protocol ImageLoading: Sendable {
    /// Whether this loader takes the request, by its scheme for example.
    func canLoad(_ request: LoadRequest) -> Bool

    /// Loads. Called from the manager's own threads; the surrounding task is cancelled when nobody wants the bytes.
    ///
    /// - Throws: anything; an ``ImageError`` reaches the caller as it is.
    func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult

    /// What two requests must have in common to share one load; nil never shares. Defaulted: all that goes over the wire.
    func sharingKey(for request: LoadRequest) -> String?

    /// How long a URL that failed with `error` is not asked again; nil asks again at once. Defaulted:
    /// ``ImageError/defaultBlockingTime``.
    func blockingTime(after error: ImageError, for request: LoadRequest) -> Duration?

    /// Tells a load that is under way how urgent it has become. Defaulted: does nothing.
    func setPriority(_ priority: LoadPriority, of body: BodySink)

    /// Ends everything and frees what the loader holds. Defaulted: does nothing.
    func shutdown() async
}

extension ImageLoading {
    /// URL, fields, validators, limits and certificate rule as one text.
    public func sharingKey(for request: LoadRequest) -> String? { request.wireKey }

    /// The error's own time.
    public func blockingTime(after error: ImageError, for request: LoadRequest) -> Duration? {
        error.defaultBlockingTime
    }

    /// Nothing.
    public func setPriority(_ priority: LoadPriority, of body: BodySink) {}

    /// Nothing.
    public func shutdown() async {}
}

extension LoadRequest {
    /// All that goes over the wire, as one text: requests of one text may share a load.
    public var wireKey: String {
        var parts = [url.absoluteString, "\(bodyLimit.bytes)"]
        parts.append(allowsInvalidCertificates ? "unchecked" : "checked")
        parts.append(inactivityTimeout.map { "\($0)" } ?? "")
        parts.append(totalTimeout.map { "\($0)" } ?? "")
        parts.append(validators.entityTag ?? "")
        parts.append(validators.lastModified ?? "")
        for field in headers.fields {
            parts.append(field.name.lowercased())
            parts.append(field.value)
        }
        return CacheKey(parts[0], parts: parts.dropFirst().map { KeyPart($0, "") }).text
    }
}

extension ImageError {
    /// How long a URL that failed so is not asked again: 5 minutes when its content is at fault, 1 minute when it is not
    /// there (404, 410), not at all when the network is, or the request.
    public var defaultBlockingTime: Duration? {
        switch code {
        case .notAnImage, .unsupportedFormat, .unsupportedFeature, .corruptData, .truncatedData, .emptyData,
            .dimensionLimit, .frameLimit, .scanLimit, .metadataLimit, .bodyLimit, .redirectLimit,
            .redirectRefused,
            .tls, .contentCoding, .decryptionFailed:
            return .seconds(300)
        case .httpStatus where httpStatus == 404 || httpStatus == 410:
            return .seconds(60)
        default:
            return nil
        }
    }
}
