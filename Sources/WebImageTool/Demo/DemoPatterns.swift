// SPDX-License-Identifier: MIT
internal import WebImage
internal import WITestKit

/// Sample pictures that need a page of their own: computed, very large, turned.
enum DemoPatterns {
    /// A Julia set.
    static func fractal() throws(ImageError) -> PixelBuffer {
        let (width, height) = (DemoLandscapes.width, DemoLandscapes.height)
        var canvas = try Canvas(width: width, height: height)
        canvas.set { column, row in
            var x = (Float(column) - Float(width) / 2) / 215
            var y = (Float(row) - Float(height) / 2) / 215
            var steps = 0
            while x * x + y * y < 16, steps < 120 {
                (x, y) = (x * x - y * y - 0.79, 2 * x * y + 0.156)
                steps += 1
            }
            guard steps < 120 else { return Ink(0x080414) }
            let part = (Float(steps) / 56).squareRoot()
            return part < 0.5
                ? Ink(0x120a3a).mixed(with: Ink(0xd0308a), part * 2)
                : Ink(0xd0308a).mixed(with: Ink(0xffe9a8), part * 2 - 1)
        }
        return canvas.publish(isOpaque: true)
    }

    /// Twelve megapixels of quarter circles, laid at random.
    static func tiles() throws(ImageError) -> PixelBuffer {
        let side = 180
        var generator = SeededGenerator(seed: 64)
        let noise = ValueNoise(seed: 2)
        let inks = [0xf94144, 0xf3722c, 0xf9c74f, 0x90be6d, 0x43aa8b, 0x277da1].map { Ink(UInt32($0)) }
        var tiles: [PixelBuffer] = []
        for ink in inks {
            for isTurned in [false, true] { tiles.append(try tile(side, ink, isTurned)) }
        }
        var canvas = try Canvas(width: side * 23, height: side * 16)
        for row in 0..<16 {
            for column in 0..<23 {
                let hue = noise.fractal(Float(column) / 6, Float(row) / 6, octaves: 2) * 1.5 - 0.2
                let index = max(0, min(inks.count - 1, Int(hue * Float(inks.count))))
                let tile = tiles[index * 2 + (generator.unit() < 0.5 ? 1 : 0)]
                canvas.draw(tile, x: column * side, y: row * side)
            }
        }
        return canvas.publish(isOpaque: true)
    }

    private static func tile(_ side: Int, _ ink: Ink, _ isTurned: Bool) throws(ImageError) -> PixelBuffer {
        var canvas = try Canvas(width: side, height: side, Ink(0x14213d))
        let end = Float(side)
        let corners = isTurned ? [Point(end, 0), Point(0, end)] : [Point(0, 0), Point(end, end)]
        for corner in corners {
            canvas.draw(.ring(corner, end / 2, width: end / 2.6), ink)
            canvas.draw(.ring(corner, end / 2, width: end / 7), ink.mixed(with: .white, 0.55))
        }
        return canvas.publish(isOpaque: true)
    }

    /// A balloon, upright as it is to be seen: higher than wide.
    static func balloon() throws(ImageError) -> PixelBuffer {
        var canvas = try Canvas(width: 480, height: 640)
        canvas.fill { Ink(0x62b6cb).mixed(with: Ink(0xfff1d6), $0) }
        let noise = ValueNoise(seed: 90)
        canvas.draw(
            .box(canvas.box),
            Fill { x, y in
                Ink.white.faded(max(0, noise.fractal(x / 190, y / 80, octaves: 4) - 0.52) * 2.6)
            })
        let middle = Point(240, 250)
        let inks = [Ink(0xe63946), Ink(0xf1faee), Ink(0xf4a261), Ink(0xf1faee)]
        canvas.draw(
            .convex([Point(110, 340), Point(370, 340), Point(272, 470), Point(208, 470)]), Ink(0xc9303d))
        canvas.draw(
            .circle(middle, 165),
            Fill { x, y in
                let height = (y - middle.y) / 165
                let reach = max(0.05, 1 - height * height).squareRoot() * 165
                let gore = Int(((x - middle.x) / reach + 1) * 3.5)
                let shade = 1 - 0.35 * max(0, (x - middle.x) / 165)
                return Ink(0x40101c).mixed(with: inks[abs(gore) % inks.count], shade)
            })
        for x in [216, 264] as [Float] {
            canvas.draw(.line([Point(x, 470), Point(x, 520)], width: 3), Ink(0x3b2a20))
        }
        canvas.draw(.rounded(Box(206, 516, 68, 48), 8), Ink(0x8a5a34))
        canvas.draw(.rounded(Box(202, 512, 76, 12), 5), Ink(0x5e3a20))
        return canvas.publish(isOpaque: true)
    }

    /// The picture as a camera held on its side stores it: to be turned clockwise by a quarter when it is
    /// shown.
    static func lyingDown(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
        let (width, height) = (picture.width, picture.height)
        var turned = try MutablePixels(width: height, height: width, alphaMode: picture.alphaMode)
        turned.withUnsafeMutableBytes { target in
            picture.withUnsafeBytes { source in
                for y in 0..<width {
                    for x in 0..<height {
                        let from = x * picture.bytesPerRow + (width - 1 - y) * 4
                        target.storeBytes(
                            of: source.loadUnaligned(fromByteOffset: from, as: UInt32.self),
                            toByteOffset: (y * height + x) * 4, as: UInt32.self)
                    }
                }
            }
        }
        return turned.publish()
    }
}
