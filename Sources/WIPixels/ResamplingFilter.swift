// SPDX-License-Identifier: MIT
internal import PixelShim

/// The kernel that weighs source pixels; widened when a picture shrinks, so that nothing aliases.
package enum ResamplingFilter: String, CaseIterable, Sendable {
    /// The pixel under the centre; never averages.
    case nearest
    /// The mean of the pixels whose centres are covered.
    case box
    /// A triangle.
    case bilinear
    /// Cubic with B = 0, C = 1/2 (Keys).
    case catmullRom
    /// Cubic with B = C = 1/3 (Mitchell and Netravali).
    case mitchell
    /// Windowed sinc with three lobes.
    case lanczos3

    var code: wi_filter {
        switch self {
        case .nearest: WI_FILTER_NEAREST
        case .box: WI_FILTER_BOX
        case .bilinear: WI_FILTER_BILINEAR
        case .catmullRom: WI_FILTER_CATMULL_ROM
        case .mitchell: WI_FILTER_MITCHELL
        case .lanczos3: WI_FILTER_LANCZOS3
        }
    }
}
