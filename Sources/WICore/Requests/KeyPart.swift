// SPDX-License-Identifier: MIT

/// One part of a cache key: a name, and a value that says exactly what it does to the pixels.
///
/// Values must be canonical (equal effects, equal text) and independent of the locale; use ``number(_:)`` for numbers.
public struct KeyPart: Hashable, Sendable, CustomStringConvertible {
    /// What the part is about, for example `thumbnail`.
    public let name: String
    /// Its value, for example `300x200`.
    public let value: String

    /// A part of a key.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// For example `thumbnail(300x200)`.
    public var description: String { "\(name)(\(value))" }

    /// A number as canonical text: the shortest that reads back the same; `-0` is `0`, `2.0` is `2`.
    public static func number(_ value: Double) -> String {
        if value == 0 { return "0" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return String(describing: value)
    }
}
