// SPDX-License-Identifier: MIT
internal import WebImage
internal import WITestKit

/// Sample pictures in the manner of drawings: flat colours, sharp edges, transparency.
enum DemoGraphics {
    private static let width = DemoLandscapes.width
    private static let height = DemoLandscapes.height
    private static let whole = Box(0, 0, Float(width), Float(height))

    /// Every hue around a ring, transparent outside.
    static func wheel() throws(ImageError) -> PixelBuffer {
        var canvas = try Canvas(width: height, height: height)
        let center = canvas.box.center
        let radius = Float(height) / 2 - 6
        for step in 0..<360 {
            let angle = Float(step) * .pi / 180
            let next = angle + 1.5 * .pi / 180
            let ink = Ink(hue: Float(step) / 360, saturation: 0.78, brightness: 0.98)
            canvas.draw(
                .line(
                    [
                        center.moved(angle: angle, distance: radius * 0.5),
                        center.moved(angle: next, distance: radius * 0.94),
                    ],
                    width: radius * 0.05), ink)
        }
        canvas.draw(
            .circle(center, radius * 0.3), .linear(Point(150, 150), Point(330, 330), .white, Ink(0x9aa4b8)))
        return canvas.publish(isOpaque: false)
    }

    /// A page of a book: headings, lines of words, a figure.
    static func page() throws(ImageError) -> PixelBuffer {
        var generator = SeededGenerator(seed: 9)
        var canvas = try Canvas(width: width, height: height, Ink(0xfbf8f1))
        canvas.draw("On pictures", x: 48, y: 44, StrokeFont.Style(30, weight: 4, Ink(0x1d2230)))
        canvas.draw("and where they come from", x: 48, y: 94, StrokeFont.Style(15, Ink(0xb4472f)))
        canvas.draw(.rounded(Box(420, 140, 222, 150), 6), Ink(0xdfe7ea))
        canvas.draw(.circle(Point(600, 182), 20), Ink(0xf3b44c))
        canvas.draw(.convex([Point(500, 176), Point(592, 290), Point(420, 290)]), Ink(0x56808c))
        canvas.draw(.convex([Point(580, 212), Point(642, 290), Point(520, 290)]), Ink(0x35586b))
        var y: Float = 144
        while y < 450 {
            let end: Float = y < 300 ? 396 : 642
            var x: Float = 48
            while true {
                let length = 14 + generator.unit() * 50
                guard x + length <= end else { break }
                canvas.draw(.rounded(Box(x, y, length, 7), 2), Ink(0x4a4f5c))
                x += length + 9
            }
            y += 17
        }
        return canvas.publish(isOpaque: true)
    }

    /// Discs of coloured glass on nothing.
    static func glass() throws(ImageError) -> PixelBuffer {
        var canvas = try Canvas(width: width, height: height)
        let middle = canvas.box.center
        let inks = [Ink(0xff4d6d), Ink(0xffb703), Ink(0x06d6a0), Ink(0x118ab2), Ink(0x8338ec)]
        for (index, ink) in inks.enumerated() {
            let place = middle.moved(angle: Float(index) / 5 * 2 * .pi - .pi / 2, distance: 104)
            canvas.draw(
                .circle(place, 118), .radial(place, 118, ink.faded(0.28), ink.faded(0.5), ink.faded(0.78)))
            canvas.draw(.ring(place, 117, width: 2), Ink.white.faded(0.7))
        }
        return canvas.publish(isOpaque: false)
    }

    /// Bars and a line: few colours, long runs.
    static func chart() throws(ImageError) -> PixelBuffer {
        var canvas = try Canvas(width: width, height: height, Ink(0x10182b))
        for line in 0..<5 { canvas.draw(.box(Box(60, 90 + Float(line) * 75, 590, 1.5)), Ink(0x2b3858)) }
        let values: [Float] = [96, 150, 120, 204, 178, 260, 236, 306]
        var points: [Point] = []
        for (index, value) in values.enumerated() {
            let bar = Box(78 + Float(index) * 71, 390 - value, 44, value)
            canvas.draw(
                .rounded(bar, 5),
                .linear(Point(0, bar.y), Point(0, 390), Ink(0x5bc8f5), Ink(0x2256c9)))
            points.append(Point(bar.center.x, 372 - value * 0.82 - Float(index % 3) * 22))
        }
        canvas.draw(.line(points, width: 5), Ink(0xffc857))
        for point in points {
            canvas.draw(.circle(point, 9), Ink(0x10182b))
            canvas.draw(.circle(point, 6), Ink(0xffc857))
        }
        canvas.draw("requests / s", x: 60, y: 36, StrokeFont.Style(22, weight: 3, Ink(0xe8edf8)))
        for (index, name) in ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug"].enumerated() {
            canvas.draw(
                name, x: 100 + Float(index) * 71, y: 412, StrokeFont.Style(15, Ink(0x93a1c1)), align: .center)
        }
        return canvas.publish(isOpaque: true)
    }

    /// Circles and bars, as on a poster of a century ago.
    static func poster() throws(ImageError) -> PixelBuffer {
        var canvas = try Canvas(width: width, height: height, Ink(0xf1e6d0))
        canvas.draw(.circle(Point(250, 250), 176), Ink(0xd8402b))
        canvas.draw(.box(Box(250, 74, 420, 60)), Ink(0x1b1b1f))
        canvas.draw(
            .convex([Point(330, 430), Point(690, 170), Point(690, 480), Point(330, 480)]), Ink(0x204f8c))
        for ring in 0..<5 {
            canvas.draw(.ring(Point(250, 250), 30 + Float(ring) * 26, width: 8), Ink(0xf1e6d0))
        }
        canvas.draw(.circle(Point(560, 262), 58), Ink(0xf2b632))
        canvas.draw(.line([Point(40, 440), Point(430, 30)], width: 12), Ink(0x1b1b1f))
        canvas.draw(.frame(whole.inset(14), 0, width: 3), Ink(0x1b1b1f))
        return canvas.publish(isOpaque: true)
    }

    /// Panes of coloured glass between leads.
    static func window() throws(ImageError) -> PixelBuffer {
        var generator = SeededGenerator(seed: 31)
        let seeds = (0..<44).map { _ in
            (
                x: generator.unit() * whole.width, y: generator.unit() * whole.height,
                ink: Ink(hue: 0.5 + generator.unit() * 0.55, saturation: 0.75, brightness: 0.95)
            )
        }
        var canvas = try Canvas(width: width, height: height)
        canvas.set { column, row in
            var (first, second, nearest) = (Float.infinity, Float.infinity, Ink.black)
            for seed in seeds {
                let (dx, dy) = (seed.x - Float(column), seed.y - Float(row))
                let distance = dx * dx + dy * dy
                if distance < first {
                    (second, first, nearest) = (first, distance, seed.ink)
                } else if distance < second {
                    second = distance
                }
            }
            let edge = second.squareRoot() - first.squareRoot()
            let light = 1 - min(1, first.squareRoot() / 130)
            let pane = nearest.mixed(with: .white, light * 0.55)
            return Ink(0x12121a).mixed(with: pane, (edge - 3) / 2.5)
        }
        return canvas.publish(isOpaque: true)
    }

    /// A heart of sixteen by sixteen pixels.
    static func heart() throws(ImageError) -> PixelBuffer {
        let rows = [
            "................", "..####....####..", ".##oo##..######.", "##oo############",
            "#oo#############",
            "#o##############", "################", "###############-", ".#############-.",
            "..###########-..",
            "...#########-...", "....#######-....", ".....#####-.....", "......###-......",
            ".......#-.......",
            "................",
        ].map { Array($0) }
        var canvas = try Canvas(width: 16, height: 16)
        canvas.set { x, y in
            switch rows[y][x] {
            case "#": Ink(0xe63950)
            case "o": Ink(0xffc2cc)
            case "-": Ink(0xa31f3a)
            default: .clear
            }
        }
        return canvas.publish(isOpaque: false)
    }
}
