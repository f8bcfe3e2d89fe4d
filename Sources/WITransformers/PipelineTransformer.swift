// SPDX-License-Identifier: MIT
public import WICore

/// Several transformers, one after the other.
public struct PipelineTransformer: Transformer {
    /// The transformers in their order; pipelines among those given are taken apart.
    public let transformers: [any Transformer]

    /// The first of `transformers` gets the picture, each further one what the one before it made.
    public init(_ transformers: [any Transformer]) {
        self.transformers = transformers.flatMap { transformer in
            (transformer as? PipelineTransformer)?.transformers ?? [transformer]
        }
    }

    /// The only transformer's part, or all parts with their lengths, so that no two pipelines have the same.
    public var keyPart: KeyPart {
        if transformers.count == 1 { return transformers[0].keyPart }
        let parts = transformers.map { transformer in
            let part = transformer.keyPart
            return "\(part.name.utf8.count),\(part.value.utf8.count):\(part)"
        }
        return KeyPart("pipeline", parts.joined(separator: ";"))
    }

    /// What the last transformer makes; the picture itself when there is none.
    ///
    /// - Throws: what the first transformer that fails throws, or ``ImageError`` with code `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        var result = pixels
        for transformer in transformers {
            try work.checkCancellation(.transform)
            result = try transformer.transform(result, work)
        }
        return result
    }

    /// Each transformer settled on what those before it make of the first frame.
    ///
    /// - Throws: what the first transformer that fails throws, or ``ImageError`` with code `cancelled`.
    public func settled(on pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> any Transformer {
        var (frame, fixed) = (pixels, [any Transformer]())
        for transformer in transformers {
            try work.checkCancellation(.transform)
            let settled = try transformer.settled(on: frame, work)
            frame = try settled.transform(frame, work)
            fixed.append(settled)
        }
        return PipelineTransformer(fixed)
    }
}
