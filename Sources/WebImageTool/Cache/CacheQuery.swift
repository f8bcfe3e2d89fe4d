// SPDX-License-Identifier: MIT
internal import WebImage

/// Which entries of the cache a word on the command line means.
struct CacheQuery: Hashable, Sendable {
    /// The word as it was written.
    let text: String
    private let base: String
    private let isPrefix: Bool

    init(_ text: String, isPrefix: Bool) {
        self.text = text
        self.isPrefix = isPrefix
        // The host as the loader writes it. A prefix may end in the middle of a host, and stays as it is.
        base = isPrefix ? text : ImageRequest(text).key.base
    }

    /// Whether `key` is the one that was named, was made of the URL that was named, or begins so.
    func matches(_ key: CacheKey) -> Bool {
        if isPrefix { return key.base.utf8.starts(with: base.utf8) }
        return key.base == base || key.base == text || key.description == text
    }
}
