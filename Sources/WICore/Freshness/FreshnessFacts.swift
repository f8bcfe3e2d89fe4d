// SPDX-License-Identifier: MIT

/// What is stored of an answer that its freshness hangs on, its fields read once: a picture in memory is judged at every hit.
final class FreshnessFacts: Sendable {
    /// When an answer says that it ends.
    enum Expires: Hashable, Sendable {
        case at(Double)
        /// “0” and other texts that are no date mean “already over” (RFC 9111, section 5.3).
        case over
    }

    let storedAt: Double
    /// When the entry stops being good whatever the fields say; nil for never.
    let expiresAt: Double?
    let requestedAt: Double?
    let directives: CacheDirectives
    /// When the answer was made; when it came, where it does not say.
    let date: Double
    let expires: Expires?
    let lastModified: Double?
    /// The age that the answer states, in seconds.
    let age: Double
    /// The names of the fields that the answer varies by.
    let vary: [String]
    /// The fields that were sent, as far as the answer varies by them.
    let requestHeaders: HTTPHeaders

    init(_ stored: EntryMetadata) {
        let fields = stored.responseHeaders
        func moment(_ text: String?) -> Double? {
            text.flatMap { HTTPDate.seconds($0, now: stored.storedAt) }
        }
        storedAt = stored.storedAt
        expiresAt = stored.expiresAt
        requestedAt = stored.requestedAt
        requestHeaders = stored.requestHeaders
        directives = CacheDirectives(fields["Cache-Control"])
        date = moment(fields["Date"]) ?? stored.storedAt
        expires = fields["Expires"].map { text in moment(text).map(Expires.at) ?? .over }
        lastModified = moment(stored.validators.lastModified)
        let stated = fields["Age"].flatMap { Double($0) } ?? 0
        age = stated.isFinite ? max(0, stated) : 0
        vary = fieldNames(fields["Vary"] ?? "")
    }
}
