// SPDX-License-Identifier: MIT
internal import WIPixels

/// How source pixels are weighed when a picture changes its size.
///
/// Where a picture shrinks, every kernel but ``nearest`` is widened so that it averages all that a pixel
/// covers.
public enum ResamplingKernel: String, Hashable, Sendable, CaseIterable {
    /// The pixel under the centre; for pixel art.
    case nearest
    /// The mean of the pixels covered.
    case box
    /// A triangle: soft.
    case bilinear
    /// Cubic with B = 0, C = 1/2: sharp, rings a little.
    case catmullRom
    /// Cubic with B = C = 1/3 (Mitchell and Netravali): between soft and sharp.
    case mitchell
    /// Windowed sinc with three lobes: the sharpest. The default.
    case lanczos3

    var filter: ResamplingFilter {
        switch self {
        case .nearest: .nearest
        case .box: .box
        case .bilinear: .bilinear
        case .catmullRom: .catmullRom
        case .mitchell: .mitchell
        case .lanczos3: .lanczos3
        }
    }
}
