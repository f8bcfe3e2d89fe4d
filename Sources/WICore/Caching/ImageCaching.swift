// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// Which levels of a cache a call means.
public struct CacheLevels: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Levels by their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Decoded pictures in the process.
    public static let memory = CacheLevels(rawValue: 1)
    /// Encoded bytes on this machine.
    public static let disk = CacheLevels(rawValue: 2)
    /// Encoded bytes in a tier that several machines share.
    public static let shared = CacheLevels(rawValue: 4)
    /// All of them.
    public static let all: CacheLevels = [.memory, .disk, .shared]
}

/// What is known about an entry beside its bytes.
public struct EntryMetadata: Hashable, Sendable {
    /// When the bytes came from their source, or were last found unchanged there, in seconds since 1970.
    public var storedAt: Double
    /// When the entry stops being good, in seconds since 1970; nil for never. A cache gives it as it is even then, for its
    /// validators to be asked with; only the age and the limits of the cache remove it.
    public var expiresAt: Double?
    /// Where the bytes came from, credentials removed.
    public var sourceURL: String?
    /// The content type that the source stated.
    public var contentType: String?
    /// What to ask the server with.
    public var validators: Validators
    /// The answer's fields that freshness is computed from.
    public var responseHeaders: HTTPHeaders
    /// When the answer was asked for, in seconds since 1970; nil when that is not known.
    public var requestedAt: Double?
    /// Those of the request's fields that the answer says it varies by.
    public var requestHeaders: HTTPHeaders
    /// Whatever the caller wants to keep with the entry.
    public var extendedData: Data?

    /// Metadata of an entry stored at `storedAt` seconds since 1970.
    public init(
        storedAt: Double, expiresAt: Double? = nil, sourceURL: String? = nil, contentType: String? = nil,
        validators: Validators = Validators(), responseHeaders: HTTPHeaders = HTTPHeaders(),
        requestedAt: Double? = nil, requestHeaders: HTTPHeaders = HTTPHeaders(), extendedData: Data? = nil
    ) {
        self.storedAt = storedAt
        self.expiresAt = expiresAt
        self.sourceURL = sourceURL
        self.contentType = contentType
        self.validators = validators
        self.responseHeaders = responseHeaders
        self.requestedAt = requestedAt
        self.requestHeaders = requestHeaders
        self.extendedData = extendedData
    }
}

/// A picture in memory with what is known about it. One reference, so that a hit copies nothing.
public final class MemoryEntry: Sendable {
    /// The picture.
    public let image: DecodedImage
    /// What is known about it; its expiry travels with the pixels.
    public let metadata: EntryMetadata
    private let facts = Locked<FreshnessFacts?>(nil)

    /// An entry.
    public init(image: DecodedImage, metadata: EntryMetadata) {
        self.image = image
        self.metadata = metadata
    }

    /// What the metadata say about freshness, read when first asked for.
    var freshnessFacts: FreshnessFacts {
        facts.withLock { facts in
            if let known = facts { return known }
            let read = FreshnessFacts(metadata)
            facts = read
            return read
        }
    }
}

/// Encoded bytes found in a cache.
public struct StoredEntry: Sendable {
    /// The bytes.
    public let data: Data
    /// What is known about them.
    public let metadata: EntryMetadata
    /// The level that had them.
    public let level: CacheLevels

    /// An entry found at `level`.
    public init(data: Data, metadata: EntryMetadata, level: CacheLevels) {
        self.data = data
        self.metadata = metadata
        self.level = level
    }
}

/// What is to be stored: a picture for memory, bytes for the other levels, or both.
public struct NewEntry: Sendable {
    /// The picture, kept by the memory level.
    public let image: DecodedImage?
    /// The bytes, kept by the other levels.
    public let data: Data?
    /// What is known about them.
    public let metadata: EntryMetadata

    /// An entry.
    public init(image: DecodedImage? = nil, data: Data? = nil, metadata: EntryMetadata) {
        self.image = image
        self.data = data
        self.metadata = metadata
    }
}

/// Keeps pictures by key. It never decodes.
///
/// The two memory calls are synchronous, quick, and made from any thread; the async ones from the manager's own threads,
/// where they may block for file work.
public protocol ImageCaching: Sendable {
    /// The picture in memory; a stale one is given as it is, for its metadata to tell.
    func memoryEntry(for key: CacheKey) -> MemoryEntry?

    /// Keeps a picture in memory.
    func storeInMemory(_ entry: MemoryEntry, for key: CacheKey)

    /// The bytes of an entry from the first of `levels` that has it; nil when none has. A stale one is given as it is.
    func entry(for key: CacheKey, in levels: CacheLevels) async throws -> StoredEntry?

    /// Stores what `levels` can keep of the entry.
    func store(_ entry: NewEntry, for key: CacheKey, in levels: CacheLevels) async throws

    /// Replaces the metadata of an entry wherever it is, as after a 304.
    func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws

    /// Removes an entry; one that is not there is no error.
    func remove(for key: CacheKey, in levels: CacheLevels) async throws

    /// The levels that have the entry.
    func contains(_ key: CacheKey, in levels: CacheLevels) async throws -> CacheLevels

    /// Removes all entries.
    func clear(_ levels: CacheLevels) async throws
}
