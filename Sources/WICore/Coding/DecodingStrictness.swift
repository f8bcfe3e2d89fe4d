// SPDX-License-Identifier: MIT

/// What a decoder makes of cut and damaged files.
public enum DecodingStrictness: String, Hashable, Sendable {
    /// The pixels that exist, the rest transparent, or grey in formats without alpha.
    ///
    /// The metadata say that the picture is partial. The default of every coder.
    case lenient
    /// An error, `truncatedData` or `corruptData`, wherever pixels are missing or wrong.
    ///
    /// A file that lacks nothing but its end mark, or metadata behind its picture, is still a picture.
    case strict
}
