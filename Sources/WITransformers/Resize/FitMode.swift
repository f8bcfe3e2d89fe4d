// SPDX-License-Identifier: MIT

/// How a picture goes into a box of another aspect ratio; the words are those of CSS `object-fit`.
public enum FitMode: String, Hashable, Sendable, CaseIterable {
    /// The whole picture, as large as fits into the box.
    case contain
    /// The whole box, full: what sticks out is cut off evenly at both ends.
    case cover
    /// Stretched to exactly the box.
    case fill
}
