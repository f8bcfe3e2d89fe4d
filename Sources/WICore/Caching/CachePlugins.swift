// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// Makes the base of a cache key from a URL, for example without query values that change on every visit.
public protocol CacheKeyFilter: Sendable {
    /// The base; the same text for URLs that give the same picture.
    func keyBase(for url: URL) -> String
}

/// A key filter from a closure.
public struct CacheKeyFilterClosure: CacheKeyFilter {
    private let body: @Sendable (URL) -> String

    /// A filter that calls `body`.
    public init(_ body: @escaping @Sendable (URL) -> String) { self.body = body }

    /// What the closure says.
    public func keyBase(for url: URL) -> String { body(url) }
}

/// Makes the bytes to keep from a picture and the bytes it came from. Called from the work pool.
public protocol CacheSerializer: Sendable {
    /// The bytes to keep; nil encodes the picture as the request says.
    ///
    /// - Throws: when nothing can be kept; the load still succeeds, and the failure is reported.
    func bytes(for image: DecodedImage?, original: Data?, url: URL?) throws -> Data?
}

/// A serializer from a closure.
public struct CacheSerializerClosure: CacheSerializer {
    private let body: @Sendable (DecodedImage?, Data?, URL?) throws -> Data?

    /// A serializer that calls `body`.
    public init(_ body: @escaping @Sendable (DecodedImage?, Data?, URL?) throws -> Data?) { self.body = body }

    /// What the closure says.
    public func bytes(for image: DecodedImage?, original: Data?, url: URL?) throws -> Data? {
        try body(image, original, url)
    }
}
