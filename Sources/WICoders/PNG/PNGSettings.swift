// SPDX-License-Identifier: MIT
public import WICore

/// How PNG files are decoded.
public struct PNGDecoding: CodecSettings {
    /// What becomes of cut and damaged files.
    ///
    /// Default `.lenient`.
    public var strictness = DecodingStrictness.lenient

    /// The defaults.
    public init() {}

    /// The strictness, where it is not the default: who refuses partial pictures must not find one in a cache.
    public var keyPart: KeyPart? {
        guard self != PNGDecoding() else { return nil }
        return KeyPart("png", "\(strictness)")
    }
}

/// How PNG files are encoded.
///
/// All settings are lossless.
public struct PNGEncoding: CodecSettings {
    /// The row filters that the encoder may choose from (PNG, third edition, section 9).
    public struct Filters: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Filters by their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Rows as they are.
        public static let none = Filters(rawValue: 1)
        /// The difference to the left.
        public static let sub = Filters(rawValue: 2)
        /// The difference to the row above.
        public static let up = Filters(rawValue: 4)
        /// The difference to the mean of both.
        public static let average = Filters(rawValue: 8)
        /// The difference to Paeth's guess.
        public static let paeth = Filters(rawValue: 16)
        /// All five: for each row the one that leaves the smallest differences.
        public static let automatic: Filters = [.none, .sub, .up, .average, .paeth]
    }

    /// How hard to compress, 0 (stored) to 9 (smallest).
    ///
    /// Default 6.
    public var level = 6
    /// The filters to choose from, row by row; an empty set is `.automatic`, which is the default.
    public var filters = Filters.automatic
    /// Whether an alpha channel that says nothing, and colour channels that are all alike, are left out, and pictures of at
    /// most 256 colours are written as indices into a table of them.
    ///
    /// Default yes. Nothing is lost. Pictures whose RGB profile is kept do not become gray.
    public var reducesColors = true
    /// Whether the picture comes in seven passes, each finer (Adam7).
    ///
    /// Default no; the file becomes larger.
    public var isInterlaced = false

    /// The defaults.
    public init() {}

    /// Nothing: no setting changes a pixel.
    public var keyPart: KeyPart? { nil }
}
