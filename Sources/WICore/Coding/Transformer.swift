// SPDX-License-Identifier: MIT

/// Pixels in, pixels out. Synchronous, called from the work pool's threads, several at a time.
public protocol Transformer: Sendable {
    /// Names exactly what the transformer does: equal parts, equal pixels, for any input.
    var keyPart: KeyPart { get }

    /// The transformed pixels. Polls `work` for cancellation.
    ///
    /// - Throws: when they cannot be made; the request then ends with this error, and nothing is stored.
    func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer
}
