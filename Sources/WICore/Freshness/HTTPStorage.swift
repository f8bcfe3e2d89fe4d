// SPDX-License-Identifier: MIT

extension FreshnessPolicy {
    /// Whether an answer may be stored at all (RFC 9111, section 3).
    ///
    /// - Parameters:
    ///   - metadata: what is known of the answer.
    ///   - request: the fields that were sent.
    func allowsStoring(_ metadata: EntryMetadata, request: HTTPHeaders) -> Bool {
        guard let http else { return true }
        let response = CacheDirectives(metadata.responseHeaders["Cache-Control"])
        if response.has(.noStore) || CacheDirectives(request["Cache-Control"]).has(.noStore) {
            return false
        }
        // One variant is kept for a key, and none can be found again of those that vary by everything.
        if fieldNames(metadata.responseHeaders["Vary"] ?? "").contains("*") { return false }
        guard http.isShared else { return true }
        if response.has(.isPrivate) { return false }
        guard request["Authorization"] != nil else { return true }
        return response.has(.isPublic) || response.has(.mustRevalidate) || response.has(.sharedMaxAge)
    }
}

extension EntryMetadata {
    /// This stored answer after a 304 with `head`: the new fields replace the old ones, except those that describe a body
    /// that was not sent (RFC 9111, section 3.2).
    func updated(by head: EntryMetadata) -> EntryMetadata {
        var updated = self
        updated.storedAt = head.storedAt
        updated.requestedAt = head.requestedAt
        // An expiry of the entry's own was set for the old answer's time.
        if let expiry = expiresAt { updated.expiresAt = expiry + max(0, head.storedAt - storedAt) }
        if let extended = head.extendedData { updated.extendedData = extended }
        if let tag = head.validators.entityTag { updated.validators.entityTag = tag }
        if let modified = head.validators.lastModified { updated.validators.lastModified = modified }
        for field in head.responseHeaders.fields { updated.responseHeaders[field.name] = nil }
        for field in head.responseHeaders.fields { updated.responseHeaders.add(field.name, field.value) }
        // An age that the new answer does not state is not the old one's.
        if head.responseHeaders["Age"] == nil { updated.responseHeaders["Age"] = nil }
        return updated
    }
}
