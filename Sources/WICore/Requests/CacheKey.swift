// SPDX-License-Identifier: MIT

/// Under which name a picture is kept: a base, and a part for whatever changes its pixels or the right to see them.
///
/// Two keys are equal when base and parts are. The hash is computed once; the text is length-marked, so that no choice
/// of URL can imitate another key's parts.
public struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    private final class Storage: Sendable {
        let base: String
        let parts: [KeyPart]
        let text: String
        let hash: Int

        init(base: String, parts: [KeyPart]) {
            self.base = base
            self.parts = parts
            var text = ""
            text.reserveCapacity(base.utf8.count + 8 + 48 * parts.count)
            Self.append(base, to: &text)
            for part in parts {
                Self.append(part.name, to: &text)
                Self.append(part.value, to: &text)
            }
            self.text = text
            hash = text.hashValue
        }

        private static func append(_ part: String, to text: inout String) {
            text += String(part.utf8.count)
            text += ":"
            text += part
        }
    }

    private let storage: Storage

    /// A key of `base`, usually the URL, and parts, in an order that the caller keeps canonical.
    public init(_ base: String, parts: [KeyPart] = []) {
        storage = Storage(base: base, parts: parts)
    }

    /// The key whose ``text`` this is; nil where it is none.
    public init?(text: String) {
        var fields: [String] = []
        var rest = Substring(text).utf8
        while !rest.isEmpty {
            guard let colon = rest.prefix(20).firstIndex(of: UInt8(ascii: ":")),
                let length = Int(String(rest[..<colon]) ?? "")
            else { return nil }
            rest = rest[rest.index(after: colon)...]
            guard length >= 0, length <= rest.count, let field = String(rest.prefix(length)) else {
                return nil
            }
            fields.append(field)
            rest = rest.dropFirst(length)
        }
        guard fields.count % 2 == 1, let base = fields.first else { return nil }
        let parts = stride(from: 1, to: fields.count, by: 2).map { KeyPart(fields[$0], fields[$0 + 1]) }
        self.init(base, parts: parts)
        guard self.text == text else { return nil }
    }

    /// What the key filter made of the URL.
    public var base: String { storage.base }
    /// What was done to the picture.
    public var parts: [KeyPart] { storage.parts }
    /// The whole key as text, every part preceded by its length in UTF-8: what digests are made of.
    public var text: String { storage.text }
    /// The hash, seeded anew in each process; made once.
    public var precomputedHash: Int { storage.hash }

    /// The base, followed by the parts for people to read.
    public var description: String {
        ([storage.base] + storage.parts.map(\.description)).joined(separator: " ")
    }

    /// By text.
    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.storage === right.storage
            || (left.storage.hash == right.storage.hash && left.storage.text == right.storage.text)
    }

    /// Feeds the hash that was made with the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.hash) }
}
