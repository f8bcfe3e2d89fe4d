// SPDX-License-Identifier: MIT
public import WICore

/// How JPEG files are decoded.
public struct JPEGDecoding: CodecSettings {
    /// What becomes of cut and damaged files.
    ///
    /// Default `.lenient`.
    public var strictness = DecodingStrictness.lenient
    /// Whether reduced chroma is interpolated ("fancy upsampling") instead of repeated, in a decode at full size.
    ///
    /// Default yes. Without it, pictures with 4:2:0 chroma decode somewhat faster, with blocky colour edges.
    public var interpolatesChroma = true

    /// The defaults.
    public init() {}

    /// All settings, where they are not the defaults.
    ///
    /// Strictness is among them: who refuses partial pictures must not get one from the cache.
    public var keyPart: KeyPart? {
        guard self != JPEGDecoding() else { return nil }
        return KeyPart("jpeg", "\(strictness),\(interpolatesChroma ? "interpolated" : "repeated")")
    }
}

/// How JPEG files are encoded.
public struct JPEGEncoding: CodecSettings {
    /// How many colour samples there are.
    public enum Subsampling: String, Hashable, Sendable {
        /// One for each pixel.
        case s444
        /// One for two pixels of a row.
        case s422
        /// One for a square of four pixels.
        ///
        /// The default, as with libjpeg.
        case s420
    }

    /// How many colour samples there are.
    ///
    /// Default `.s420`.
    public var subsampling = Subsampling.s420
    /// Whether the picture comes in several scans, each finer.
    ///
    /// Default no. Such files are smaller by some per cent, and cost several times as much to write and to read.
    public var isProgressive = false
    /// Whether the Huffman tables are made for the picture.
    ///
    /// Default no. It makes files smaller by some per cent at the cost of a second pass. Progressive files always do.
    public var optimizesTables = false

    /// The defaults.
    public init() {}

    /// All settings, where they are not the defaults.
    public var keyPart: KeyPart? {
        guard self != JPEGEncoding() else { return nil }
        return KeyPart("jpeg", "\(subsampling),\(isProgressive),\(optimizesTables)")
    }
}
