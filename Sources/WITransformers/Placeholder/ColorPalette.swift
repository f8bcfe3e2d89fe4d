// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// The colours that a picture is mostly made of.
public struct ColorPalette: Hashable, Sendable {
    /// One of the colours.
    public struct Entry: Hashable, Sendable {
        /// The colour, opaque.
        public let color: SRGBColor
        /// The share of what is to be seen that is nearest to it, from 0 to 1.
        public let share: Double
    }

    /// The colours, the most frequent first; fewer than asked for where the picture has fewer, none where nothing is to be
    /// seen.
    public let entries: [Entry]
    /// The mean of all colours, as far as they are to be seen; its alpha is the mean alpha.
    public let averageColor: SRGBColor

    /// The most frequent colour; nil where nothing is to be seen.
    public var dominantColor: SRGBColor? { entries.first?.color }

    /// The palette of a picture: colours are split where they differ most, then each goes to the nearest mean.
    ///
    /// - Parameters:
    ///   - pixels: The picture. A small copy of it is looked at.
    ///   - count: How many colours at most, 1 to 256. Default 5.
    ///   - work: Says when nobody wants the palette any more.
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public init(
        _ pixels: PixelBuffer, count: Int = 5, _ work: borrowing WorkContext = WorkContext()
    ) throws {
        try Parameter.check(Double(count), 1...256, "The number of colours")
        let colors = try pixels.reduced(96, work).colors(as: .straight)
        averageColor = SRGBColor(Self.average(of: colors))
        let seen = colors.filter { $0.w > 0 }
        let means = try Self.settled(Self.split(seen, count), seen, work)
        let total = Double(seen.reduce(0) { $0 + $1.w })
        entries = means.map { mean in
            Entry(
                color: SRGBColor(red: Double(mean.x), green: Double(mean.y), blue: Double(mean.z)),
                share: Double(mean.w) / total)
        }
    }

    /// The mean colour, each weighed by its alpha, with the mean alpha.
    static func average(of colors: [PixelColor]) -> PixelColor {
        let (sum, weight) = sum(of: colors[...])
        var mean = weight > 0 ? sum / Float(weight) : .zero
        mean.w = Float(weight / Double(max(1, colors.count)))
        return mean
    }

    private static func sum(of colors: ArraySlice<PixelColor>) -> (PixelColor, Double) {
        var sum = SIMD4<Double>.zero
        for color in colors { sum += SIMD4<Double>(color) * Double(color.w) }
        let weight = colors.reduce(0) { $0 + Double($1.w) }
        return (PixelColor(sum), weight)
    }

    /// The means of groups that arise when the group that is spread most is cut at its mean, again and again.
    private static func split(_ colors: [PixelColor], _ count: Int) -> [PixelColor] {
        var groups = colors.isEmpty ? [] : [ColorGroup(colors[...])]
        while groups.count < count {
            let widest = groups.indices.max { groups[$0].spread < groups[$1].spread }
            guard let widest, let (low, high) = groups[widest].halves else { break }
            groups[widest] = low
            groups.append(high)
        }
        return groups.map(\.mean)
    }

    /// Moves each mean to the middle of the colours that are nearest to it; the fourth part of the result is their weight.
    private static func settled(
        _ start: [PixelColor], _ colors: [PixelColor], _ work: borrowing WorkContext
    ) throws(ImageError) -> [PixelColor] {
        var means = start
        for _ in 0..<6 {
            try work.checkCancellation(.transform)
            var sums = [SIMD4<Double>](repeating: .zero, count: means.count)
            for color in colors {
                let nearest =
                    means.indices.min { distance(means[$0], color) < distance(means[$1], color) } ?? 0
                var weighted = SIMD4<Double>(color) * Double(color.w)
                weighted.w = Double(color.w)
                sums[nearest] += weighted
            }
            means = sums.filter { $0.w > 0 }.map { sum in
                var mean = PixelColor(sum / sum.w)
                mean.w = Float(sum.w)
                return mean
            }
        }
        return means.sorted { $0.w > $1.w }
    }

    private static func distance(_ left: PixelColor, _ right: PixelColor) -> Float {
        var offset = left - right
        offset.w = 0
        return (offset * offset).sum()
    }
}

/// Colours that may be cut in two.
private struct ColorGroup {
    let mean: PixelColor
    /// The weighed sum of squares of distances along the axis where it is largest.
    let spread: Double
    private let axis: Int
    private let colors: ArraySlice<PixelColor>

    init(_ colors: ArraySlice<PixelColor>) {
        self.colors = colors
        let mean = ColorPalette.average(of: Array(colors))
        self.mean = mean
        var squares = SIMD4<Double>.zero
        for color in colors {
            let offset = SIMD4<Double>(color - mean)
            squares += offset * offset * Double(color.w)
        }
        let spreads = [squares.x, squares.y, squares.z]
        spread = spreads.max() ?? 0
        axis = spreads.firstIndex(of: spread) ?? 0
    }

    /// Both sides of the mean; nil where all colours are the same.
    var halves: (ColorGroup, ColorGroup)? {
        let low = colors.filter { $0[axis] <= mean[axis] }
        let high = colors.filter { $0[axis] > mean[axis] }
        guard spread > 1e-6, !low.isEmpty, !high.isEmpty else { return nil }
        return (ColorGroup(low[...]), ColorGroup(high[...]))
    }
}
