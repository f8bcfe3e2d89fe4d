// SPDX-License-Identifier: MIT
internal import WIPixels

/// How bright a colour is.
enum Luma {
    /// What red, green and blue count for (ITU-R BT.709); alpha counts for nothing.
    static let weights = PixelColor(0.2126, 0.7152, 0.0722, 0)
}
