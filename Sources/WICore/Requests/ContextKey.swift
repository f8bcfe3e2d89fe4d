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
    let scope: KeyScope
    let keyPart: (@Sendable (Value) -> KeyPart?)?

    /// A key; `keyPart` says what a value adds to the cache key, nil when it does not change the pixels.
    ///
    /// `scope` says whether it changes what is made of the bytes (the default), or which bytes are loaded.
    public init(
        _ name: String, scope: KeyScope = .pixels, keyPart: (@Sendable (Value) -> KeyPart?)? = nil
    ) {
        self.name = name
        self.scope = scope
        self.keyPart = keyPart
    }
}

/// What a context value changes.
public enum KeyScope: Hashable, Sendable {
    /// What is made of the bytes: it is part of the target's key alone.
    case pixels
    /// Which bytes are loaded, or who may see them: it is part of the original's key as well.
    case bytes
}
