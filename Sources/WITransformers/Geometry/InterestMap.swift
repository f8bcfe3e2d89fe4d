// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A small copy of a picture in which the most interesting window is looked for.
struct InterestMap {
    /// The longer side of the copy.
    private static let side = 128
    /// Shades that information is counted by.
    private static let shades = 32

    let width: Int
    let height: Int
    /// Shade of each pixel, row by row; transparent pixels have the last one of their own.
    private let shade: [Int]
    /// How much each pixel draws the eye.
    private let attention: [Float]

    init(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws(ImageError) {
        let size = pixels.size.fitting(PixelSize(width: Self.side, height: Self.side))
        let small = try pixels.resized(to: size, filter: .box, work)
        let colors = small.colors(as: .straight)
        let luma = colors.map { $0.w < 0.05 ? 0 : ($0 * Luma.weights).sum() }
        width = size.width
        height = size.height
        shade = zip(colors, luma).map { color, luma in
            color.w < 0.05 ? Self.shades : min(Self.shades - 1, Int(luma * Float(Self.shades)))
        }
        attention = Self.attention(colors, luma, size)
    }

    private static func attention(_ colors: [PixelColor], _ luma: [Float], _ size: PixelSize) -> [Float] {
        (0..<size.width * size.height).map { index in
            let (x, y) = (index % size.width, index / size.width)
            let left = luma[index - min(x, 1)]
            let right = luma[index + (x + 1 < size.width ? 1 : 0)]
            let above = luma[index - (y > 0 ? size.width : 0)]
            let below = luma[index + (y + 1 < size.height ? size.width : 0)]
            let edge = abs(4 * luma[index] - left - right - above - below)
            return colors[index].w * (5 * edge + saturation(colors[index]) + 2 * skin(colors[index]))
        }
    }

    private static func saturation(_ color: PixelColor) -> Float {
        max(color.x, color.y, color.z) - min(color.x, color.y, color.z)
    }

    /// How near the direction of a colour is to that of skin, of whatever brightness.
    private static func skin(_ color: PixelColor) -> Float {
        let length = (color.x * color.x + color.y * color.y + color.z * color.z).squareRoot()
        guard length > 0.2 else { return 0 }
        let offset = SIMD3(color.x, color.y, color.z) / length - SIMD3(0.78, 0.57, 0.44)
        return max(0, 1 - 5 * (offset * offset).sum().squareRoot())
    }

    /// A window of these shares of the sides.
    func window(width share: Double, height tall: Double) -> PixelSize {
        PixelSize(
            width: min(width, max(1, Int((Double(width) * share).rounded()))),
            height: min(height, max(1, Int((Double(height) * tall).rounded()))))
    }

    /// The window with the largest sum of attention, in which its middle counts more, so that nothing large is cut in two;
    /// of equal ones that nearest to the middle.
    func mostAttention(_ window: PixelSize) -> Anchor {
        let sums = runningSums()
        func sum(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
            let (top, bottom) = (rows.lowerBound * (width + 1), rows.upperBound * (width + 1))
            return sums[bottom + columns.upperBound] - sums[bottom + columns.lowerBound]
                - sums[top + columns.upperBound] + sums[top + columns.lowerBound]
        }
        let (edgeX, edgeY) = (window.width / 4, window.height / 4)
        let (roomX, roomY) = (width - window.width, height - window.height)
        var best = (sum: -1.0, distance: 0, x: 0, y: 0)
        for y in 0...roomY {
            for x in 0...roomX {
                let (columns, rows) = (x..<x + window.width, y..<y + window.height)
                let middle = sum(
                    columns.dropFirst(edgeX).dropLast(edgeX), rows.dropFirst(edgeY).dropLast(edgeY))
                let (value, distance) = (
                    sum(columns, rows) + 2 * middle, abs(2 * x - roomX) + abs(2 * y - roomY)
                )
                let isBetter =
                    value > best.sum + 1e-6 || (value > best.sum - 1e-6 && distance < best.distance)
                if isBetter { best = (value, distance, x, y) }
            }
        }
        return anchor(best.x, best.y, roomX, roomY)
    }

    /// Sums of attention over all that lies above and left of each corner between pixels.
    private func runningSums() -> [Double] {
        var sums = [Double](repeating: 0, count: (width + 1) * (height + 1))
        for y in 0..<height {
            var row = 0.0
            for x in 0..<width {
                row += Double(attention[y * width + x])
                sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row
            }
        }
        return sums
    }

    /// What is left when slices are cut off, always from the side that tells less.
    func mostInformation(_ window: PixelSize) -> Anchor {
        var (columns, rows) = (0..<width, 0..<height)
        while columns.count > window.width {
            let slice = Self.slice(columns.count - window.width)
            let first = information(columns.prefix(slice), rows)
            let last = information(columns.suffix(slice), rows)
            columns = Self.without(slice, columns, first - last, of: width)
        }
        while rows.count > window.height {
            let slice = Self.slice(rows.count - window.height)
            let first = information(columns, rows.prefix(slice))
            let last = information(columns, rows.suffix(slice))
            rows = Self.without(slice, rows, first - last, of: height)
        }
        return anchor(columns.lowerBound, rows.lowerBound, width - window.width, height - window.height)
    }

    /// A range less a slice at the side that tells less; where both tell the same, at the side that is nearer to its edge.
    private static func without(_ slice: Int, _ range: Range<Int>, _ difference: Double, of side: Int)
        -> Range<Int>
    {
        let isNearStart = range.lowerBound <= side - range.upperBound
        let dropsFirst = difference == 0 ? isNearStart : difference < 0
        return dropsFirst ? range.dropFirst(slice) : range.dropLast(slice)
    }

    private static func slice(_ room: Int) -> Int { max(1, room / 8) }

    private func anchor(_ x: Int, _ y: Int, _ roomX: Int, _ roomY: Int) -> Anchor {
        Anchor(
            x: roomX > 0 ? Double(x) / Double(roomX) : 0.5, y: roomY > 0 ? Double(y) / Double(roomY) : 0.5)
    }

    /// The entropy of the shades, in bits a pixel.
    private func information(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
        var counts = [Int](repeating: 0, count: Self.shades + 1)
        for y in rows {
            for x in columns { counts[shade[y * width + x]] += 1 }
        }
        let total = Double(columns.count * rows.count)
        return counts.reduce(0) { sum, count in
            guard count > 0 else { return sum }
            let share = Double(count) / total
            return sum - share * log2(share)
        }
    }
}
