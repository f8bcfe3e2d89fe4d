// SPDX-License-Identifier: MIT
public import WICore

/// How JPEG files are decoded.
public struct JPEGDecoding: CodecSettings {
    /// What becomes of cut and damaged files.
    public enum Strictness: String, Hashable, Sendable {
        /// The rows that exist, the rest grey; the metadata say that the picture is partial. The default.
        case lenient
        /// An error, `truncatedData` or `corruptData`.
        case strict
    }

    /// What becomes of cut and damaged files. Default `.lenient`.
    public var strictness = Strictness.lenient

    /// The defaults.
    public init() {}

    /// Strictness changes whether there is a picture, not its pixels.
    public var keyPart: KeyPart? { nil }
}

/// How JPEG files are encoded.
public struct JPEGEncoding: CodecSettings {
    /// How many colour samples there are.
    public enum Subsampling: String, Hashable, Sendable {
        /// One for each pixel.
        case s444
        /// One for two pixels of a row.
        case s422
        /// One for a square of four pixels. The default, as with libjpeg.
        case s420
    }

    /// How many colour samples there are. Default `.s420`.
    public var subsampling = Subsampling.s420
    /// Whether the picture comes in several scans, each finer. Default no.
    public var isProgressive = false
    /// Whether the Huffman tables are made for the picture: some per cent smaller, a second pass. Default no.
    public var optimizesTables = false

    /// The defaults.
    public init() {}

    /// All settings, where they are not the defaults.
    public var keyPart: KeyPart? {
        guard self != JPEGEncoding() else { return nil }
        return KeyPart("jpeg", "\(subsampling),\(isProgressive),\(optimizesTables)")
    }
}
