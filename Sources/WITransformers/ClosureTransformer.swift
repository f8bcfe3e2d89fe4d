// SPDX-License-Identifier: MIT
public import WICore

/// A transformer made of a function.
public struct ClosureTransformer: Transformer {
    private let key: String
    private let body: @Sendable (PixelBuffer, borrowing WorkContext) throws -> PixelBuffer

    /// A transformer that does what `body` does.
    ///
    /// - Parameters:
    ///   - key: Names exactly what `body` does, its parameters and its version included: results are cached
    ///     under it, and two transformers with the same key must make the same pixels.
    ///   - body: Makes the pixels; called from the work pool's threads, several at a time. It should poll the
    ///     work context every few rows.
    public init(
        key: String, _ body: @escaping @Sendable (PixelBuffer, borrowing WorkContext) throws -> PixelBuffer
    ) {
        self.key = key
        self.body = body
    }

    /// For example `closure(sepia,v2)`.
    public var keyPart: KeyPart { KeyPart("closure", key) }

    /// What the function makes.
    ///
    /// - Throws: what the function throws.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try body(pixels, work)
    }
}
