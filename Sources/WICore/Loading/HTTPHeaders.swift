// SPDX-License-Identifier: MIT

/// HTTP header fields in order; names are compared without regard to case (RFC 9110, section 5.1).
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// One field.
    public struct Field: Hashable, Sendable {
        /// The name as written.
        public var name: String
        /// The value, without surrounding white space.
        public var value: String

        /// A field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Whether the field tells who asks, by its name: credentials, cookies, and whatever calls itself a key, token, secret,
        /// session or signature. Pictures asked for with such a field are kept apart, and its value is in no description.
        public var isSecret: Bool {
            let name = name.lowercased()
            return [
                "authorization", "cookie", "auth", "key", "token", "secret", "session", "signature",
                "credential",
            ]
            .contains { name.contains($0) }
        }
    }

    /// The fields for people and logs, one after the other; secret ones without their value.
    public var description: String {
        fields.map { "\($0.name): \($0.isSecret ? "…" : $0.value)" }.joined(separator: "; ")
    }

    /// The fields, in order.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// The fields of a literal, in order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// Whether there is no field.
    public var isEmpty: Bool { fields.isEmpty }

    /// The value of a field, several of one name joined by commas; setting replaces them all, nil removes them.
    public subscript(name: String) -> String? {
        get {
            var value: String?
            for field in fields where isSame(field.name, name) {
                value = value.map { "\($0), \(field.value)" } ?? field.value
            }
            return value
        }
        set {
            fields.removeAll { isSame($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Makes room for so many fields, to add them without moving those before.
    package mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

    /// Adds a field beside those of the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }
}

/// Whether two names are one; those of fields are ASCII.
private func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
        && zip(left.utf8, right.utf8).allSatisfy { left, right in
            left == right || (left ^ right == 0x20 && (0x61...0x7A).contains(left | 0x20))
        }
}
