// SPDX-License-Identifier: MIT

/// Pixels in, pixels out. Synchronous, called from the work pool's threads, several at a time.
public protocol Transformer: Sendable {
    /// Names exactly what the transformer does: equal parts, equal pixels, for any input.
    var keyPart: KeyPart { get }

    /// The transformed pixels. Polls `work` for cancellation.
    ///
    /// - Throws: when they cannot be made; the request then ends with this error, and nothing is stored.
    func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer

    /// The transformer for every frame of an animation whose first frame is `pixels`.
    ///
    /// What looks at pixels to find a place or a size finds it there, once, so that all frames come out alike. The default is
    /// the transformer itself.
    /// - Throws: when it cannot be found.
    func settled(on pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> any Transformer
}

extension Transformer {
    /// The transformer itself.
    public func settled(on pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> any Transformer {
        self
    }
}
