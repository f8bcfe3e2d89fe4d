// SPDX-License-Identifier: MIT

/// The directives of `Cache-Control` fields (RFC 9111, section 5.2; RFC 5861; RFC 8246).
///
/// Names are compared without regard to case; what is not known is passed over. A time that is no number counts as 0, so
/// that a damaged field makes an answer stale and not good for ever; of several, the first counts.
struct CacheDirectives: Sendable {
    /// The directives that say something here.
    enum Name: String, Sendable {
        case noCache = "no-cache"
        case noStore = "no-store"
        case isPrivate = "private"
        case isPublic = "public"
        case immutable
        case mustRevalidate = "must-revalidate"
        case proxyRevalidate = "proxy-revalidate"
        case maxAge = "max-age"
        case sharedMaxAge = "s-maxage"
        case staleWhileRevalidate = "stale-while-revalidate"
        case staleIfError = "stale-if-error"
        case minFresh = "min-fresh"
        case maxStale = "max-stale"

        fileprivate var isTimed: Bool {
            switch self {
            case .maxAge, .sharedMaxAge, .staleWhileRevalidate, .staleIfError, .minFresh, .maxStale: true
            default: false
            }
        }
    }

    /// Few, and looked through: judging an answer compares no texts.
    private var directives: [(name: Name, seconds: Double?)] = []

    /// The directives of a field's value; nil stands for no field.
    init(_ field: String?) {
        guard let field else { return }
        for (text, argument) in Self.split(field) {
            guard let name = Name(rawValue: text), !has(name) else { continue }
            // Without its argument `max-stale` takes any age; every other directive with a time needs one.
            let hasTime = name.isTimed && !(name == .maxStale && argument == nil)
            directives.append((name, hasTime ? Self.seconds(argument) : nil))
        }
    }

    /// Whether the directive is there, with or without an argument.
    func has(_ name: Name) -> Bool { directives.contains { $0.name == name } }

    /// The argument of the directive in seconds; nil when the directive is not there.
    func seconds(_ name: Name) -> Double? { directives.first { $0.name == name }?.seconds }

    /// A whole number of seconds; what is too large to count is 2^31 (RFC 9111, section 1.2.2).
    private static func seconds(_ text: String?) -> Double {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return 0 }
        return min(Double(text) ?? 0, 2_147_483_648)
    }

    /// Names with their arguments, quotes taken off: a comma inside a quoted list separates nothing.
    private static func split(_ field: String) -> [(name: String, argument: String?)] {
        var found: [(String, String?)] = []
        var word = ""
        var isQuoted = false
        func finish() {
            let parts = word.split(separator: "=", maxSplits: 1).map(trimmed)
            if let name = parts.first, !name.isEmpty {
                found.append((name.lowercased(), parts.count == 2 ? parts[1] : nil))
            }
            word = ""
        }
        for character in field {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: finish()
            default: word.append(character)
            }
        }
        finish()
        return found
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
