// SPDX-License-Identifier: MIT
import Testing
import WICore
import WITransformers

@Suite struct GeometryTests {
    /// Red counts columns, green counts rows.
    private func grid(_ width: Int, _ height: Int, _ form: PixelForm = .opaque) throws -> PixelBuffer {
        try picture(width, height, form) { x, y in Exact(Double(x) / 255, Double(y) / 255, 0, 1) }
    }

    private func corner(_ pixels: PixelBuffer) -> [Int] { Array(pixels.pixel(0, 0)[..<2]) }

    @Test(arguments: allForms) func aRectIsCutOut(form: PixelForm) throws {
        let result = try CropTransformer(PixelRect(x: 3, y: 2, width: 4, height: 5))(grid(10, 10, form))
        #expect(result.size == size(4, 5) && result.form.description == form.description)
        #expect(result.pixel(0, 0) == [3, 2, 0, 255] && result.pixel(3, 4) == [6, 6, 0, 255])
    }

    @Test func whatLiesOutsideIsLeftAway() throws {
        let source = try grid(10, 8)
        let beyond = try CropTransformer(PixelRect(x: -3, y: 5, width: 5, height: .max))(source)
        #expect(beyond.size == size(2, 3) && corner(beyond) == [0, 5])
        let all = PixelRect(x: -1, y: -1, width: .max, height: .max)
        #expect(try CropTransformer(all)(source).isSame(as: source))
        for rect in [
            PixelRect(x: 10, y: 0, width: 1, height: 1), PixelRect(x: 0, y: 0, width: 0, height: 4),
            PixelRect(x: 0, y: 0, width: 3, height: -1),
            PixelRect(x: .max, y: .max, width: .max, height: .max),
            PixelRect(x: -5, y: 0, width: 5, height: 3), PixelRect(x: .min, y: 0, width: .max, height: 3),
        ] {
            let error = #expect(throws: ImageError.self) { try CropTransformer(rect)(source) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func aSizeIsCutOutWhereTheGravitySays() throws {
        let source = try grid(11, 9)
        for (gravity, place) in [
            (Gravity.center, [3, 2]), (.topLeft, [0, 0]), (.top, [3, 0]), (.bottomRight, [7, 5]),
            (.left, [0, 2]),
            (.right, [7, 2]), (.bottom, [3, 5]), (.topRight, [7, 0]), (.bottomLeft, [0, 5]),
        ] {
            let result = try CropTransformer(size(4, 4), gravity: gravity)(source)
            #expect(result.size == size(4, 4) && corner(result) == place, "\(gravity)")
        }
        #expect(try CropTransformer(size(100, 3))(source).size == size(11, 3))
        #expect(throws: ImageError.self) { try CropTransformer(size(0, 3))(source) }
    }

    @Test(arguments: [Gravity.entropy, .attention]) func smartCropsFindWhatIsToBeSeen(gravity: Gravity) throws
    {
        // A coloured pattern on flat gray, off the middle.
        for (left, top) in [(10, 12), (150, 12), (90, 70), (10, 70)] {
            let source = try picture(200, 120, .opaque) { x, y in
                guard (left..<left + 36).contains(x), (top..<top + 36).contains(y) else {
                    return Exact(0.5, 0.5, 0.5, 1)
                }
                return Exact(Double((x * 7 + y * 3) % 11) / 10, Double(x * y % 5) / 8, 0.1, 1)
            }
            let result = try CropTransformer(size(50, 50), gravity: gravity)(source)
            let seen = result.stored.filter { $0 != Exact(128.0 / 255, 128.0 / 255, 128.0 / 255, 1) }.count
            #expect(seen > 36 * 36 * 8 / 10, "\(left), \(top): \(seen)")
            let cover = ResizeTransformer(size(60, 120), fit: .cover, kernel: .nearest, gravity: gravity)
            let column = try cover(source).stored.filter { abs($0.x - 0.5) > 0.1 || $0.z < 0.2 }.count
            #expect(column > 36 * 36 * 8 / 10)
        }
    }

    @Test func smartCropsOfFlatPicturesKeepTheMiddle() throws {
        let source = try picture(101, 60, .opaque) { _, _ in Exact(0.3, 0.3, 0.3, 1) }
        let grid = try picture(101, 60) { x, y in Exact(Double(x) / 255, Double(y) / 255, 0, 0) }
        for gravity in [Gravity.entropy, .attention] {
            #expect(try CropTransformer(size(21, 20), gravity: gravity)(source).size == size(21, 20))
            let place = try corner(CropTransformer(size(21, 20), gravity: gravity)(grid))
            #expect(abs(place[0] - 40) <= 2 && abs(place[1] - 20) <= 2, "\(gravity): \(place)")
        }
    }

    @Test(arguments: allForms) func flipsChangeSides(form: PixelForm) throws {
        let source = try grid(5, 3, form)
        #expect(try corner(FlipTransformer(horizontally: true)(source)) == [4, 0])
        #expect(try corner(FlipTransformer(vertically: true)(source)) == [0, 2])
        #expect(try corner(FlipTransformer(horizontally: true, vertically: true)(source)) == [4, 2])
        #expect(try FlipTransformer()(source).isSame(as: source))
        #expect(try OrientationTransformer(.right)(source).size == size(3, 5))
    }

    @Test(arguments: [
        (90.0, Orientation.right), (180, .down), (270, .left), (-90, .left), (450, .right), (0, .up),
    ])
    func quartersOfATurnAreExact(degrees: Double, orientation: Orientation) throws {
        let source = try noise(7, 4)
        let result = try RotateTransformer(degrees: degrees)(source)
        #expect(try result.isSame(as: OrientationTransformer(orientation)(source)))
        // Off by what no eye sees, the general way gives nearly the same.
        let general = try RotateTransformer(degrees: degrees + 1e-7)(source)
        #expect(general.size == result.size && general.distance(to: result.exact) <= 1)
    }

    @Test func aTurnIsClockwiseAndFits() throws {
        let source = try picture(100, 100, .opaque) { x, y in
            Exact(x < 50 ? 1 : 0, y < 50 ? 1 : 0, 0, 1)
        }
        let fit = try RotateTransformer(degrees: 45)(source)
        #expect(fit.size == size(142, 142) && fit.alphaMode == .straight)
        // The upper left quarter, red and green, points up.
        #expect(fit.pixel(71, 20) == [255, 255, 0, 255] && fit.pixel(120, 71) == [0, 255, 0, 255])
        #expect(fit.pixel(0, 0) == [0, 0, 0, 0])
        let clip = try RotateTransformer(degrees: 45, fits: false, background: .white)(source)
        #expect(clip.size == size(100, 100) && clip.alphaMode == .opaque)
        #expect(clip.pixel(0, 0) == [255, 255, 255, 255] && clip.pixel(50, 5) == [255, 255, 0, 255])
    }

    @Test(arguments: allForms) func turnedFlatFieldsHaveNoFringe(form: PixelForm) throws {
        let source = try picture(30, 20, form) { _, _ in Exact(1, 0.5, 0.25, 1) }
        let result = try RotateTransformer(degrees: 33)(source)
        for color in result.stored where color.w > 0.05 {
            let scale = result.alphaMode == .premultiplied ? color.w : 1
            #expect(abs(color.x / scale - 1) < 0.05 && abs(color.y / scale - 0.5) < 0.05)
        }
        let area = result.exact.reduce(0) { $0 + $1.w }
        #expect(abs(area - 600) < 6, "\(area)")
    }

    @Test func cornersKeepTheirAreaWhateverTheAngle() throws {
        let source = try picture(12, 12, .opaque) { x, y in Exact(repeating: (x / 4 + y / 4) % 2 == 0 ? 1 : 0)
        }
        for degrees in stride(from: 5.0, to: 360, by: 35) {
            let result = try RotateTransformer(degrees: degrees)(source)
            #expect(abs(result.exact.reduce(0) { $0 + $1.w } - 144) < 3)
        }
    }

    @Test(arguments: allForms) func aBorderLiesAroundThePicture(form: PixelForm) throws {
        let source = try grid(4, 3, form)
        let pad = PadTransformer(
            .edges(top: 1, left: 2, bottom: 3, right: 4), color: SRGBColor(red: 0, green: 0, blue: 1))
        let result = try pad(source)
        #expect(result.size == size(10, 7) && result.form.description == form.description)
        #expect(result.pixel(0, 0) == [0, 0, 255, 255] && result.pixel(9, 6) == [0, 0, 255, 255])
        #expect(result.pixel(2, 1) == [0, 0, 0, 255] && result.pixel(5, 3) == [3, 2, 0, 255])
    }

    @Test func padsFillUpToASize() throws {
        let source = try grid(4, 3)
        let clear = try PadTransformer(.size(size(8, 2), .bottomRight))(source)
        #expect(clear.size == size(8, 3) && clear.alphaMode == .straight)
        #expect(clear.pixel(3, 0) == [0, 0, 0, 0] && clear.pixel(4, 0) == [0, 0, 0, 255])
        #expect(try PadTransformer(0)(source).isSame(as: source))
    }

    @Test func pictureAndBorderAreToldApart() throws {
        let inner = PixelRect(x: 3, y: 2, width: 5, height: 4)
        let source = try picture(12, 9, .opaque) { x, y in
            let isInside = (3..<8).contains(x) && (2..<6).contains(y)
            return isInside ? Exact(Double(x) / 255, 0.9, 0, 1) : Exact(1, 1, 1, 1)
        }
        let result = try TrimTransformer()(source)
        #expect(try result.isSame(as: CropTransformer(inner)(source)))
        let flat = try picture(5, 4) { _, _ in Exact(0.2, 0.2, 0.2, 1) }
        #expect(try TrimTransformer()(flat).isSame(as: flat))
        // One step of 255 is beyond a tolerance of 0, and within one of a step.
        let faint = try picture(5, 5, .opaque) { x, y in
            Exact(repeating: x == 2 && y == 2 ? 101.0 / 255 : 100.0 / 255)
        }
        #expect(try TrimTransformer(tolerance: 0)(faint).size == size(1, 1))
        #expect(try TrimTransformer(tolerance: 1.0 / 255)(faint).size == size(5, 5))
        // What is transparent is border, whatever its colour.
        let hidden = try picture(6, 6) { x, y in Exact(Double(x) / 10, 0, 0, x == 4 && y > 0 ? 1 : 0) }
        #expect(try TrimTransformer()(hidden).size == size(1, 5))
    }

    @Test func whatLooksAtPixelsIsSettledOnAFirstFrame() throws {
        func frame(_ left: Int, _ top: Int) throws -> PixelBuffer {
            try picture(60, 40, .opaque) { x, y in
                let isInside = (left..<left + 9).contains(x) && (top..<top + 7).contains(y)
                return isInside ? Exact(Double(x * y % 7) / 7, 0.2, 0, 1) : Exact(1, 1, 1, 1)
            }
        }
        let (first, second) = (try frame(3, 4), try frame(45, 30))
        let cover = ResizeTransformer(size(20, 40), fit: .cover, gravity: .attention)
        let pipeline = PipelineTransformer([FlipTransformer(horizontally: true), TrimTransformer()])
        for transformer in [
            TrimTransformer(), CropTransformer(size(12, 12), gravity: .entropy), cover, pipeline,
            BlurTransformer(sigma: 2),
        ] as [any Transformer] {
            let settled = try transformer.settled(on: first, WorkContext())
            #expect(try settled(first).isSame(as: transformer(first)))
            #expect(try settled(second).size == settled(first).size, "\(transformer.keyPart)")
        }
        let trim = try TrimTransformer().settled(on: first, WorkContext())
        #expect(
            try trim(second).isSame(as: CropTransformer(PixelRect(x: 3, y: 4, width: 9, height: 7))(second)))
    }
}
