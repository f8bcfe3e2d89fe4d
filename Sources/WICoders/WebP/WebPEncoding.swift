// SPDX-License-Identifier: MIT
public import WICore

/// How WebP files are encoded: all of libwebp's settings.
///
/// How good a lossy picture is, ``EncodeOptions/quality`` says. Values outside a range are taken to its nearest end;
/// nil leaves a value to the preset.
public struct WebPEncoding: CodecSettings {
    /// What a picture shows, as a start for the other settings.
    public enum Preset: Int, Hashable, Sendable {
        /// Anything.
        case standard
        /// A portrait, an indoor photograph.
        case picture
        /// An outdoor photograph.
        case photo
        /// A drawing with high contrast.
        case drawing
        /// A small colourful picture.
        case icon
        /// Letters.
        case text
    }

    /// What a lossless picture is made of.
    public enum ImageHint: Int, Hashable, Sendable {
        /// Anything.
        case standard
        /// A portrait, an indoor photograph.
        case picture
        /// An outdoor photograph.
        case photo
        /// Few tones: a graph, a map.
        case graph
    }

    /// What smooths the edges of blocks.
    public enum Filter: Int, Hashable, Sendable {
        /// Luma alone, cheap.
        case simple
        /// Luma and chroma.
        case strong
    }

    /// How rows of alpha are predicted.
    public enum AlphaFilter: Int, Hashable, Sendable {
        /// Not at all.
        case none
        /// One predictor, chosen quickly.
        case fast
        /// The best predictor, found by trying.
        case best
    }

    /// What is done to a picture before it is encoded.
    public enum Preprocessing: Int, Hashable, Sendable {
        /// Nothing.
        case none
        /// Segments are made smooth.
        case smoothSegments
        /// Dithering, the same in every run, where RGB becomes YUV.
        case dithering
    }

    /// Whether nothing is lost.
    ///
    /// Default no.
    public var isLossless = false
    /// What the picture shows.
    ///
    /// Default `.standard`.
    public var preset = Preset.standard
    /// How hard to try, 0 (fast) to 6 (small); libwebp's `method`.
    ///
    /// Default 4.
    public var effort = 4
    /// How hard to try in lossless mode, 0 (fast) to 100 (small), beside `effort`.
    ///
    /// Default 75. libwebp calls it quality.
    public var losslessEffort = 75
    /// How much of the picture lossless mode keeps, 0 to 100 (all).
    ///
    /// Default 100. Less makes files smaller by changing pixels a little.
    public var nearLossless = 100
    /// Whether the colours of wholly transparent pixels are kept.
    ///
    /// Default nil: where nothing at all is lost they are, elsewhere they become what takes the least room. Libwebp keeps
    /// all colours, or is near-lossless, not both: yes switches `nearLossless` off.
    public var keepsTransparentColors: Bool?
    /// What a lossless picture is made of.
    ///
    /// Default `.standard`.
    public var imageHint = ImageHint.standard
    /// Bytes that a lossy still, or each frame, is to have, approximately; used instead of the quality.
    ///
    /// Default nil.
    public var targetBytes: Int?
    /// The fidelity in dB that a lossy file is to have; used instead of the quality and of `targetBytes`.
    ///
    /// Default nil.
    public var targetPSNR: Double?
    /// The qualities that a search for `targetBytes` or `targetPSNR` may choose from.
    ///
    /// Default 0 to 100.
    public var qualityRange = 0...100
    /// Passes of entropy analysis, 1 to 10.
    ///
    /// Default nil: 6 where there is a target, 1 otherwise.
    public var passes: Int?
    /// Segments with settings of their own, 1 to 4.
    public var segments: Int?
    /// How unevenly bits go to where noise is seen, 0 (off) to 100; libwebp's `sns_strength`.
    public var noiseShaping: Int?
    /// How strongly the edges of blocks are smoothed, 0 (off) to 100.
    public var filterStrength: Int?
    /// How sharp the smoothing leaves edges, 0 (sharpest) to 7.
    public var filterSharpness: Int?
    /// What smooths the edges of blocks.
    public var filter: Filter?
    /// Whether the best filter strength is searched for, which takes time.
    ///
    /// Default no.
    public var adjustsFilter = false
    /// What is done to a lossy picture first.
    public var preprocessing: Preprocessing?
    /// The base-2 logarithm of the number of token partitions, 0 to 3.
    ///
    /// Default 0, which is the best for decoding in parts.
    public var partitions = 0
    /// The loss allowed so that prediction modes fit 512 KB, 0 (none) to 100.
    ///
    /// Default 0.
    public var partitionLimit = 0
    /// Whether alpha beside a lossy picture is compressed.
    ///
    /// Default yes.
    public var compressesAlpha = true
    /// How rows of alpha are predicted.
    ///
    /// Default `.fast`.
    public var alphaFilter = AlphaFilter.fast
    /// How much of alpha is kept beside a lossy picture, 0 to 100 (all).
    ///
    /// Default 100.
    public var alphaQuality = 100
    /// Whether RGB becomes YUV slowly, with sharper colour edges.
    ///
    /// Default no.
    public var usesSharpYUV = false
    /// Whether the quality is such that the file is about as large as a JPEG of that quality.
    ///
    /// Default no.
    public var emulatesJPEGSize = false
    /// Whether libwebp may start a thread of its own.
    ///
    /// Default no. The bytes are the same.
    public var usesThreads = false
    /// Whether less memory is used, and more time.
    ///
    /// Default no.
    public var usesLittleMemory = false

    /// The defaults.
    public init() {}

    /// Whether ``EncodeOptions/quality`` makes a difference.
    var usesQuality: Bool { !isLossless && targetBytes == nil && targetPSNR == nil }

    /// All settings that change bytes, where they are not the defaults.
    public var keyPart: KeyPart? {
        var plain = self
        plain.usesThreads = false
        guard plain != WebPEncoding() else { return nil }
        let numbers: [Int?] = [
            preset.rawValue, effort, losslessEffort, nearLossless, imageHint.rawValue, targetBytes,
            qualityRange.lowerBound, qualityRange.upperBound, passes, segments, noiseShaping, filterStrength,
            filterSharpness, filter?.rawValue, preprocessing?.rawValue, partitions, partitionLimit,
            alphaFilter.rawValue, alphaQuality,
        ]
        let switches: [Bool?] = [
            isLossless, keepsTransparentColors, adjustsFilter, compressesAlpha, usesSharpYUV,
            emulatesJPEGSize,
            usesLittleMemory,
        ]
        let parts =
            numbers.map { $0.map(String.init) ?? "" } + switches.map { $0.map { $0 ? "y" : "n" } ?? "" }
            + [targetPSNR.map(KeyPart.number) ?? ""]
        return KeyPart("webp", parts.joined(separator: ","))
    }
}
