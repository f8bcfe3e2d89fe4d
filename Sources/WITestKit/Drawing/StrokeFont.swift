// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A small typeface made of strokes, drawn for this package: Latin letters, digits and some signs.
///
/// Heights are in units of a seventh of a capital letter; see ``StrokeGlyphs`` for how a glyph is written
/// down.
package enum StrokeFont {
    /// How text looks.
    package struct Style: Sendable {
        /// Height of a capital letter, in pixels.
        package var capHeight: Float
        /// Thickness of the strokes, in pixels.
        package var weight: Float
        package var ink: Ink

        package init(_ capHeight: Float, weight: Float? = nil, _ ink: Ink) {
            self.capHeight = capHeight
            self.weight = weight ?? max(1.1, capHeight * 0.125)
            self.ink = ink
        }

        var scale: Float { capHeight / 7 }
        /// What lies between two letters, in units.
        var tracking: Float { 1 + weight / scale }
    }

    struct Glyph: Sendable {
        let width: Float
        let strokes: [[Point]]
    }

    private static let space: Float = 2.2
    private static let glyphs = StrokeGlyphs.table.mapValues(parse)
    private static let unknown = parse("0,0 3.6,0 3.6,7 0,7 0,0")

    static func glyph(_ character: Character) -> Glyph { glyphs[character] ?? unknown }

    /// How wide the text will be, in pixels.
    package static func width(_ text: String, _ style: Style) -> Float {
        var units: Float = 0
        for character in text { units += advance(character, style) }
        return max(0, units - style.tracking) * style.scale
    }

    private static func advance(_ character: Character, _ style: Style) -> Float {
        (character == " " ? space : glyph(character).width) + style.tracking
    }

    /// The beginning of the text that fits this width, with two points where some was left out.
    package static func fitting(_ text: String, _ style: Style, width limit: Float) -> String {
        guard width(text, style) > limit else { return text }
        var short = text
        while !short.isEmpty, width(short + "..", style) > limit { short.removeLast() }
        return short + ".."
    }

    /// The shapes of a line of text whose first capital's upper left corner is `origin`.
    static func shapes(_ text: String, at origin: Point, _ style: Style) -> [Shape] {
        var x = origin.x
        var shapes: [Shape] = []
        for character in text {
            if character != " " {
                for stroke in glyph(character).strokes {
                    let points = stroke.map {
                        Point(x + $0.x * style.scale, origin.y + $0.y * style.scale)
                    }
                    shapes.append(.line(points, width: style.weight))
                }
            }
            x += advance(character, style) * style.scale
        }
        return shapes
    }
}

extension StrokeFont {
    private static func parse(_ path: String) -> Glyph {
        var strokes: [[Point]] = [[]]
        for token in path.split(separator: " ") {
            if token == "|" {
                strokes.append([])
            } else if token.hasPrefix("@") {
                strokes[strokes.count - 1] += arc(numbers(token.dropFirst()))
            } else {
                let pair = numbers(token)
                if pair.count == 2 { strokes[strokes.count - 1].append(Point(pair[0], pair[1])) }
            }
        }
        let width = strokes.joined().map(\.x).max() ?? 0
        return Glyph(width: width, strokes: strokes)
    }

    private static func numbers(_ text: Substring) -> [Float] {
        text.split(separator: ",").compactMap { Float($0) }
    }

    /// Points on an ellipse: middle, radii, first and last angle in degrees.
    private static func arc(_ values: [Float]) -> [Point] {
        guard values.count == 6 else { return [] }
        let steps = max(4, Int(abs(values[5] - values[4]) / 18))
        return (0...steps).map { step in
            let angle = (values[4] + (values[5] - values[4]) * Float(step) / Float(steps)) * .pi / 180
            return Point(values[0] + cosf(angle) * values[2], values[1] + sinf(angle) * values[3])
        }
    }
}

extension Canvas {
    /// Where a line of text stands to its place.
    package enum Alignment: Sendable {
        case left, center, right
    }

    /// Draws a line of text; `y` is the upper edge of its capitals.
    package mutating func draw(
        _ text: String, x: Float, y: Float, _ style: StrokeFont.Style, align: Alignment = .left
    ) {
        let width = align == .left ? 0 : StrokeFont.width(text, style)
        let left = x - (align == .center ? width / 2 : width)
        for shape in StrokeFont.shapes(text, at: Point(left, y), style) { draw(shape, style.ink) }
    }
}
