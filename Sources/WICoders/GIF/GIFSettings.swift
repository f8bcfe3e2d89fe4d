// SPDX-License-Identifier: MIT
public import WICore

/// How GIF files are decoded.
public struct GIFDecoding: CodecSettings {
    /// What becomes of cut and damaged files.
    ///
    /// Default `.lenient`.
    public var strictness = DecodingStrictness.lenient

    /// The defaults.
    public init() {}

    /// The strictness, where it is not the default: who refuses partial pictures must not find one in a cache.
    public var keyPart: KeyPart? {
        guard self != GIFDecoding() else { return nil }
        return KeyPart("gif", "\(strictness)")
    }
}

/// How GIF files are encoded.
///
/// Pictures of no more colours than a table holds are kept exactly; of others, the colours are chosen that show them best.
public struct GIFEncoding: CodecSettings {
    /// How colours that are in no table are shown.
    public enum Dithering: String, Hashable, Sendable {
        /// By the nearest one.
        case none
        /// By neighbours that come to the colour together (Floyd and Steinberg).
        ///
        /// The default. Gradients look smooth, and files become larger.
        case floydSteinberg
    }

    /// How colours that are in no table are shown.
    ///
    /// Default `.floydSteinberg`. It does not touch frames whose colours all fit.
    public var dithering = Dithering.floydSteinberg
    /// Entries of a frame's colour table, 2 to 256, the one for transparent pixels among them.
    ///
    /// Default 256. Values outside are brought to the nearest one allowed.
    public var colors = 256
    /// The alpha, 1 to 255, below which a pixel is transparent: GIF has nothing between.
    ///
    /// Default 128.
    public var alphaThreshold: UInt8 = 128

    /// The defaults.
    public init() {}

    /// All settings, where they are not the defaults.
    public var keyPart: KeyPart? {
        guard self != GIFEncoding() else { return nil }
        return KeyPart("gif", "\(dithering),\(colors),\(alphaThreshold)")
    }
}
