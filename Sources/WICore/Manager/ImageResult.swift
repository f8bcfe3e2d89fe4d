// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// What a request came to: the picture, and where it was found.
public struct ImageResult: Sendable {
    /// Where the picture was found.
    public enum Origin: String, Hashable, Sendable {
        /// In memory, decoded.
        case memory
        /// On this machine's disk.
        case disk
        /// In a tier shared by several machines.
        case shared
        /// A loader had to bring it.
        case loader
        /// The request itself held the bytes.
        case data
        /// In the local file that the request named.
        case file
    }

    let entry: MemoryEntry
    /// The encoded bytes that the picture was decoded from, where they were at hand; nil for memory hits, and for pictures
    /// that a transformer changed.
    public let data: Data?
    /// Where the picture was found.
    public let origin: Origin

    /// Whether the picture is older than the freshness policy allows, and was handed over because asking the server failed, was
    /// not allowed, or goes on behind the request's back.
    public let isStale: Bool
    /// Why the server could not be asked, where the picture is stale for that.
    public let refreshFailure: ImageError?

    init(
        entry: MemoryEntry, data: Data?, origin: Origin, isStale: Bool = false,
        refreshFailure: ImageError? = nil
    ) {
        self.entry = entry
        self.data = data
        self.origin = origin
        self.isStale = isStale
        self.refreshFailure = refreshFailure
    }

    /// The picture.
    public var image: DecodedImage { entry.image }
    /// What is known about its bytes: validators, content type, when they came.
    public var metadata: EntryMetadata { entry.metadata }
}
