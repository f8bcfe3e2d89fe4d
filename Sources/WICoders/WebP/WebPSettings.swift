// SPDX-License-Identifier: MIT
public import WICore

/// How WebP files are decoded.
public struct WebPDecoding: CodecSettings {
    /// What becomes of cut and damaged files.
    ///
    /// Default `.lenient`.
    public var strictness = DecodingStrictness.lenient
    /// Whether a second thread filters rows of a lossy picture while the first decodes.
    ///
    /// Default no. A single picture is done in some two thirds of the time; where several are decoded at once, nothing
    /// is won. The pixels are the same.
    public var usesThreads = false

    /// The defaults.
    public init() {}

    /// The strictness, where it is not the default: who refuses partial pictures must not find one in a cache.
    public var keyPart: KeyPart? {
        strictness == .lenient ? nil : KeyPart("webp", "\(strictness)")
    }
}
