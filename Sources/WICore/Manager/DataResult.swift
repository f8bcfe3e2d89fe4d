// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// What a request for bytes came to.
public struct DataResult: Sendable {
    /// The encoded bytes, as they came from their source; nil where they were only to be stored, and are.
    public let data: Data?
    /// What is known about them: validators, content type, when they came.
    public let metadata: EntryMetadata
    /// Where they were found.
    public let origin: ImageResult.Origin
    /// Whether they are older than the freshness policy allows; see ``ImageResult/isStale``.
    public let isStale: Bool
    /// Why the server could not be asked, where the bytes are stale for that.
    public let refreshFailure: ImageError?
}
