// SPDX-License-Identifier: MIT
internal import WIPixels

/// How a colour mixes with what lies below it: the modes of the W3C's Compositing and Blending Level 1.
public enum BlendMode: String, Hashable, Sendable, CaseIterable {
    /// The upper colour.
    case normal
    /// The product: never brighter.
    case multiply
    /// The product of the negatives: never darker.
    case screen
    /// Multiplies dark and screens bright colours below.
    case overlay
    /// The darker part.
    case darken
    /// The brighter part.
    case lighten
    /// Brightens what is below.
    case colorDodge
    /// Darkens what is below.
    case colorBurn
    /// Multiplies by dark and screens by bright upper colours.
    case hardLight
    /// A softer kind of hard light.
    case softLight
    /// The distance.
    case difference
    /// The distance, with less contrast.
    case exclusion
    /// The upper hue.
    case hue
    /// The upper saturation.
    case saturation
    /// The upper hue and saturation.
    case color
    /// The upper brightness.
    case luminosity

    /// The mixed colour of straight colours; alpha is of no meaning.
    func mix(_ below: PixelColor, _ above: PixelColor) -> PixelColor {
        switch self {
        case .normal: above
        case .multiply: below * above
        case .screen: Self.screened(below, above)
        case .overlay: Self.hardLit(above, below)
        case .darken: pointwiseMin(below, above)
        case .lighten: pointwiseMax(below, above)
        case .colorDodge: Self.each(below, above, Self.dodged)
        case .colorBurn: Self.each(below, above, Self.burnt)
        case .hardLight: Self.hardLit(below, above)
        case .softLight: Self.each(below, above, Self.softLit)
        case .difference: pointwiseMax(below, above) - pointwiseMin(below, above)
        case .exclusion: below + above - 2 * below * above
        case .hue: Self.withLuma(Self.withSaturation(above, of: below), of: below)
        case .saturation: Self.withLuma(Self.withSaturation(below, of: above), of: below)
        case .color: Self.withLuma(above, of: below)
        case .luminosity: Self.withLuma(below, of: above)
        }
    }

    private static func each(
        _ below: PixelColor, _ above: PixelColor, _ mix: (Float, Float) -> Float
    ) -> PixelColor {
        PixelColor(mix(below.x, above.x), mix(below.y, above.y), mix(below.z, above.z), 0)
    }

    private static func screened(_ below: PixelColor, _ above: PixelColor) -> PixelColor {
        below + above - below * above
    }

    private static func hardLit(_ below: PixelColor, _ above: PixelColor) -> PixelColor {
        let dark = below * (2 * above)
        return dark.replacing(with: screened(below, 2 * above - 1), where: above .> 0.5)
    }

    private static func dodged(_ below: Float, _ above: Float) -> Float {
        if below <= 0 { return 0 }
        return above >= 1 ? 1 : min(1, below / (1 - above))
    }

    private static func burnt(_ below: Float, _ above: Float) -> Float {
        if below >= 1 { return 1 }
        return above <= 0 ? 0 : 1 - min(1, (1 - below) / above)
    }

    private static func softLit(_ below: Float, _ above: Float) -> Float {
        if above <= 0.5 { return below - (1 - 2 * above) * below * (1 - below) }
        let curve = below <= 0.25 ? ((16 * below - 12) * below + 4) * below : below.squareRoot()
        return below + (2 * above - 1) * (curve - below)
    }

    /// What the recommendation's modes without separate channels count for brightness.
    private static let luma = PixelColor(0.3, 0.59, 0.11, 0)

    private static func withLuma(_ color: PixelColor, of other: PixelColor) -> PixelColor {
        let target = (other * luma).sum()
        var moved = color + (target - (color * luma).sum())
        let (least, most) = (min(moved.x, moved.y, moved.z), max(moved.x, moved.y, moved.z))
        if least < 0 { moved = target + (moved - target) * (target / (target - least)) }
        if most > 1 { moved = target + (moved - target) * ((1 - target) / (most - target)) }
        return moved
    }

    private static func withSaturation(_ color: PixelColor, of other: PixelColor) -> PixelColor {
        let saturation = max(other.x, other.y, other.z) - min(other.x, other.y, other.z)
        let (least, most) = (min(color.x, color.y, color.z), max(color.x, color.y, color.z))
        return most > least ? (color - least) * (saturation / (most - least)) : .zero
    }
}

extension BlendMode {
    /// A premultiplied colour over another, mixed where both are.
    func over(_ below: PixelColor, _ above: PixelColor) -> PixelColor {
        let (back, front) = (below.w, above.w)
        guard self != .normal, back > 0, front > 0 else { return above + below * (1 - front) }
        var result =
            above * (1 - back) + below * (1 - front) + back * front * mix(below / back, above / front)
        result.w = front + back * (1 - front)
        return result
    }
}
