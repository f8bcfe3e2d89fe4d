// SPDX-License-Identifier: MIT
public import WICore

/// How GIF files are decoded.
public struct GIFDecoding: CodecSettings {
    /// What becomes of cut and damaged files.
    public enum Strictness: String, Hashable, Sendable {
        /// The rows that exist, the rest transparent; the metadata say that the picture is partial. The default.
        case lenient
        /// An error, `truncatedData` or `corruptData`.
        case strict
    }

    /// What becomes of cut and damaged files.
    ///
    /// Default `.lenient`.
    public var strictness = Strictness.lenient

    /// The defaults.
    public init() {}

    /// The strictness, where it is not the default: who refuses partial pictures must not find one in a cache.
    public var keyPart: KeyPart? {
        guard self != GIFDecoding() else { return nil }
        return KeyPart("gif", "\(strictness)")
    }
}
