// SPDX-License-Identifier: MIT
public import WICore

/// How PNG files are decoded.
public struct PNGDecoding: CodecSettings {
    /// What becomes of cut and damaged files.
    public enum Strictness: String, Hashable, Sendable {
        /// The rows that exist, the rest transparent; the metadata say that the picture is partial. The default.
        case lenient
        /// An error, `corruptData`.
        case strict
    }

    /// What becomes of cut and damaged files. Default `.lenient`.
    public var strictness = Strictness.lenient

    /// The defaults.
    public init() {}

    /// Strictness changes whether there is a picture, not its pixels.
    public var keyPart: KeyPart? { nil }
}

/// How PNG files are encoded. All settings are lossless.
public struct PNGEncoding: CodecSettings {
    /// The row filters that the encoder may choose from (PNG specification, section 9).
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
        /// libpng's own choice.
        public static let automatic: Filters = []
    }

    /// zlib's effort, 0 to 9. Default 6.
    public var level = 6
    /// The filters to choose from, row by row. Default: libpng's own choice.
    public var filters = Filters.automatic
    /// Whether the picture comes in seven passes (Adam7). Default no.
    public var isInterlaced = false

    /// The defaults.
    public init() {}

    /// Nothing: no setting changes a pixel.
    public var keyPart: KeyPart? { nil }
}
