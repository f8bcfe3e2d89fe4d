// SPDX-License-Identifier: MIT

/// A key of an ``ImageContext``, typed by the value that it stands for.
///
/// Any module adds its own:
/// ```swift
/// extension ContextKey where Value == Bool {
///     static var drawsBorder: Self { ContextKey("com.example.drawsBorder") { $0 ? KeyPart("border", "1") : nil } }
/// }
/// ```
public struct ContextKey<Value: Sendable>: Sendable {
    /// The name, unique among keys of the same value type.
    public let name: String
    let keyPart: (@Sendable (Value) -> KeyPart?)?

    /// A key; `keyPart` says what a value adds to the cache key, nil when it does not change the pixels.
    public init(_ name: String, keyPart: (@Sendable (Value) -> KeyPart?)? = nil) {
        self.name = name
        self.keyPart = keyPart
    }
}
