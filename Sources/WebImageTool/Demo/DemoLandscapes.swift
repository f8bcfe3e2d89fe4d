// SPDX-License-Identifier: MIT
internal import WebImage
internal import WITestKit

/// Sample pictures in the manner of photographs: soft light, haze, grain.
enum DemoLandscapes {
    static let width = 690
    static let height = 480
    private static let right = Float(width)
    private static let bottom = Float(height)

    /// Light and colours of a range of hills.
    struct Mood: Sendable {
        let sky: [Ink]
        let sun: (at: Point, radius: Float, ink: Ink)
        let far: Ink
        let near: Ink
        let seed: UInt32
    }

    static let dawn = Mood(
        sky: [Ink(0x24365f), Ink(0x6a6fa3), Ink(0xf0a58f), Ink(0xffd9a0), Ink(0xffe6bf)],
        sun: (Point(468, 196), 30, Ink(0xfff3d0)), far: Ink(0xd9a7a0), near: Ink(0x1c2340), seed: 11)
    static let canyon = Mood(
        sky: [Ink(0x2d7f9d), Ink(0x7fb8bd), Ink(0xf2dcae), Ink(0xf6c77d)],
        sun: (Point(200, 150), 22, Ink(0xfffbe8)), far: Ink(0xeab07a), near: Ink(0x5c1f1a), seed: 41)

    /// Ranges of hills, one behind the other, that fade into the haze.
    static func hills(_ mood: Mood) throws(ImageError) -> PixelBuffer {
        var canvas = try sky(mood.sky)
        glow(mood.sun, on: &canvas)
        let count = 5
        for ridge in 0..<count {
            let part = Float(ridge) / Float(count - 1)
            let ink = mood.far.mixed(with: mood.near, part)
            let haze = ink.mixed(with: mood.far, 0.7 - 0.3 * part)
            let noise = ValueNoise(seed: mood.seed &+ UInt32(ridge) * 31)
            let base = bottom * (0.5 + 0.42 * part)
            let rise = bottom * (0.5 - 0.22 * part)
            canvas.draw(
                .below(from: 0, to: right, bottom: bottom) { x in
                    base - (noise.fractal(x / (130 + 70 * part), octaves: 6) - 0.4) * rise
                },
                .linear(Point(0, base - rise * 0.4), Point(0, base + rise * 0.5), ink, haze))
        }
        return try grained(canvas.publish(isOpaque: true), seed: mood.seed)
    }

    /// Stars, a moon, and firs before them.
    static func night() throws(ImageError) -> PixelBuffer {
        var generator = SeededGenerator(seed: 5)
        var canvas = try sky([Ink(0x050a1c), Ink(0x0d1b3d), Ink(0x1f3a68), Ink(0x3f6d8f)])
        for _ in 0..<260 {
            let place = Point(generator.unit() * right, generator.unit() * bottom * 0.75)
            let size = 0.4 + generator.unit() * generator.unit() * 1.6
            canvas.draw(.circle(place, size), Ink(0xdfe9ff, alpha: 0.35 + generator.unit() * 0.65))
        }
        glow((Point(518, 112), 36, Ink(0xf6f0d8)), on: &canvas)
        for crater in [Point(508, 104), Point(530, 122), Point(522, 98)] {
            canvas.draw(.circle(crater, 6), Ink(0xd8cfae, alpha: 0.5))
        }
        hill(Ink(0x16304c), seed: 3, base: 0.72, rise: 0.3, on: &canvas)
        hill(Ink(0x0d1d33), seed: 8, base: 0.84, rise: 0.25, on: &canvas)
        for _ in 0..<46 {
            let foot = Point(generator.unit() * right, bottom * (0.88 + generator.unit() * 0.16))
            fir(foot, height: 60 + generator.unit() * 90, Ink(0x060d18), on: &canvas)
        }
        return try grained(canvas.publish(isOpaque: true), seed: 5)
    }

    /// Curtains of light over a dark shore.
    static func aurora() throws(ImageError) -> PixelBuffer {
        let noise = ValueNoise(seed: 77)
        var canvas = try Canvas(width: width, height: height)
        canvas.set { column, row in
            let (x, y) = (Float(column) / right, Float(row) / bottom)
            let base = Ink(0x081226).mixed(with: Ink(0x12324a), y)
            let fold = noise.fractal(x * 3.2, 0.4, octaves: 3)
            let edge = 0.42 + 0.36 * (fold - 0.3)
            let above = edge - y
            let fade = above > 0 ? max(0, 1 - above / 0.55) : max(0, 1 + above / 0.05)
            let rays = 0.45 + 0.55 * noise.fractal(x * 34 + fold * 5, y * 0.7, octaves: 2)
            let hue = Ink(0x4dffb2).mixed(with: Ink(0xb04dff), max(0, above) * 2.4)
            return base.mixed(with: hue, fade * fade * rays * 0.95)
        }
        hill(Ink(0x050b16), seed: 19, base: 0.86, rise: 0.3, on: &canvas)
        return try grained(canvas.publish(isOpaque: true), seed: 77)
    }

    /// A bay at noon with three boats.
    static func sea() throws(ImageError) -> PixelBuffer {
        let horizon = bottom * 0.46
        let noise = ValueNoise(seed: 23)
        var canvas = try Canvas(width: width, height: height)
        canvas.set { column, row in
            let (x, y) = (Float(column), Float(row))
            if y < horizon {
                let cloud = max(0, noise.fractal(x / 150, y / 60, octaves: 5) - 0.5) * 3.2
                return Ink(0x3f8fd6).mixed(with: Ink(0xbfe3f5), y / horizon).mixed(with: .white, cloud)
            }
            let depth = (y - horizon) / (bottom - horizon)
            let wave = noise.fractal(x / (14 + 90 * depth), (y - horizon) / (2 + 9 * depth), octaves: 3)
            let water = Ink(0x57bcc9).mixed(with: Ink(0x0b4a78), depth)
            return water.mixed(with: .white, max(0, wave - 0.58) * 1.9)
        }
        hill(Ink(0x5d8f7a), seed: 61, base: 0.455, rise: 0.16, to: horizon, on: &canvas)
        for (x, y, size) in [(150, 236, 34), (286, 258, 58), (496, 300, 104)] as [(Float, Float, Float)] {
            boat(Point(x, y), size, on: &canvas)
        }
        return try grained(canvas.publish(isOpaque: true), seed: 23)
    }
}

extension DemoLandscapes {
    private static func sky(_ inks: [Ink]) throws(ImageError) -> Canvas {
        var canvas = try Canvas(width: width, height: height)
        canvas.fill { part in
            let position = part * Float(inks.count - 1)
            let index = min(inks.count - 2, Int(position))
            return inks[index].mixed(with: inks[index + 1], position - Float(index))
        }
        return canvas
    }

    private static func glow(_ sun: (at: Point, radius: Float, ink: Ink), on canvas: inout Canvas) {
        let halo = sun.radius * 7
        canvas.draw(
            .circle(sun.at, halo),
            .radial(
                sun.at, halo, sun.ink.faded(0.6), sun.ink.faded(0.22), sun.ink.faded(0.06), sun.ink.faded(0)))
        canvas.draw(.circle(sun.at, sun.radius), sun.ink)
    }

    private static func hill(
        _ ink: Ink, seed: UInt32, base: Float, rise: Float, to end: Float? = nil, on canvas: inout Canvas
    ) {
        let noise = ValueNoise(seed: seed)
        canvas.draw(
            .below(from: 0, to: right, bottom: end ?? bottom) { x in
                bottom * (base - (noise.fractal(x / 170, octaves: 5) - 0.4) * rise)
            }, ink)
    }

    private static func fir(_ foot: Point, height: Float, _ ink: Ink, on canvas: inout Canvas) {
        for tier in 0..<4 {
            let top = foot.y - height * (1 - Float(tier) * 0.2)
            let low = top + height * 0.4
            let half = height * (0.09 + 0.05 * Float(tier))
            canvas.draw(
                .convex([Point(foot.x, top), Point(foot.x + half, low), Point(foot.x - half, low)]), ink)
        }
    }

    private static func boat(_ place: Point, _ size: Float, on canvas: inout Canvas) {
        let (x, y) = (place.x, place.y)
        canvas.draw(
            .convex([
                Point(x - size * 0.42, y), Point(x + size * 0.5, y), Point(x + size * 0.34, y + size * 0.17),
                Point(x - size * 0.3, y + size * 0.17),
            ]), Ink(0x8c2f2b))
        canvas.draw(
            .convex([
                Point(x + size * 0.03, y - size), Point(x + size * 0.46, y - size * 0.08),
                Point(x + size * 0.03, y - size * 0.08),
            ]), Ink(0xfdf8ee))
        canvas.draw(
            .convex([
                Point(x - size * 0.03, y - size * 0.86), Point(x - size * 0.03, y - size * 0.08),
                Point(x - size * 0.36, y - size * 0.08),
            ]), Ink(0xf0e3c8))
    }

    /// The picture with a little noise in its brightness, as a sensor gives.
    private static func grained(_ picture: PixelBuffer, seed: UInt32) throws(ImageError) -> PixelBuffer {
        var generator = SeededGenerator(seed: UInt64(seed))
        var copy = try MutablePixels(width: picture.width, height: picture.height, alphaMode: .opaque)
        copy.withUnsafeMutableBytes { target in
            picture.withUnsafeBytes { source in
                for offset in stride(from: 0, to: min(target.count, source.count), by: 4) {
                    let grain = Int(generator.next() >> 62) - 2
                    for channel in 0..<3 {
                        target[offset + channel] = UInt8(clamping: Int(source[offset + channel]) + grain)
                    }
                    target[offset + 3] = 255
                }
            }
        }
        return copy.publish()
    }
}
