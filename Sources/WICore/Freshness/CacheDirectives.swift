// SPDX-License-Identifier: MIT

/// The directives of `Cache-Control` fields (RFC 9111, section 5.2; RFC 5861; RFC 8246).
///
/// Names are compared without regard to case; what is not known is passed over. A time that is no number counts as 0, so
/// that a damaged field makes an answer stale and not good for ever; of several, the first counts.
struct CacheDirectives: Hashable, Sendable {
    private(set) var names: Set<String> = []
    private var times: [String: Double] = [:]

    /// The directives of a field's value; nil stands for no field.
    init(_ field: String?) {
        guard let field else { return }
        for (name, argument) in Self.split(field) {
            guard names.insert(name).inserted, Self.timed.contains(name) else { continue }
            // Without its argument `max-stale` takes any age; every other directive needs one.
            if argument == nil, name == "max-stale" { continue }
            times[name] = Self.seconds(argument)
        }
    }

    private static let timed: Set<String> = [
        "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error", "min-fresh", "max-stale",
    ]

    /// Whether the directive is there, with or without an argument.
    func has(_ name: String) -> Bool { names.contains(name) }

    /// The argument of the directive in seconds; nil when the directive is not there.
    func seconds(_ name: String) -> Double? { times[name] }

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
