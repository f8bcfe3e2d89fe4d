// SPDX-License-Identifier: MIT
import Testing
import WICore
import WITransformers

@Suite struct CompositionTests {
    private static let red = SRGBColor(red: 1, green: 0, blue: 0)

    @Test(arguments: allForms) func roundCornersLeaveTheMiddleAndSmoothEdges(form: PixelForm) throws {
        let source = try picture(40, 30, form) { _, _ in Exact(0.4, 0.6, 0.8, 1) }
        let result = try RoundCornersTransformer(radius: 10)(source)
        #expect(
            result.size == source.size && result.alphaMode == (form.mode == .opaque ? .straight : form.mode))
        #expect(result.pixel(0, 0)[3] == 0 && result.pixel(39, 29)[3] == 0)
        #expect(result.pixel(20, 15) == source.pixel(20, 15) && result.pixel(20, 0) == source.pixel(20, 0))
        // All but the corners: 4 - pi squares of the radius.
        let area = result.exact.reduce(0) { $0 + $1.w }
        #expect(abs(area - (1200 - 0.8584 * 100)) < 2, "\(area)")
        for color in result.stored where color.w > 0.05 && result.alphaMode == .straight {
            #expect(abs(color.x - 0.4) < 0.01, "a fringe")
        }
    }

    @Test func onlyTheCornersNamedAreRound() throws {
        let source = try picture(20, 20, .opaque) { _, _ in Exact(1, 1, 1, 1) }
        let result = try RoundCornersTransformer(radius: 500, corners: [.topRight, .bottomLeft])(source)
        let alphas = [(0, 0), (19, 0), (0, 19), (19, 19)].map { result.pixel($0.0, $0.1)[3] }
        #expect(alphas == [255, 0, 0, 255])
    }

    @Test func aBorderLiesInsideTheEdge() throws {
        let source = try picture(50, 50, .opaque) { _, _ in Exact(1, 1, 1, 1) }
        let round = RoundCornersTransformer(radius: 12, borderWidth: 3, borderColor: Self.red)
        let result = try round(source)
        #expect(result.pixel(25, 0) == [255, 0, 0, 255] && result.pixel(25, 2) == [255, 0, 0, 255])
        #expect(result.pixel(25, 3) == [255, 255, 255, 255] && result.pixel(0, 0)[3] == 0)
        #expect(result.pixel(4, 4) == [255, 0, 0, 255])
    }

    @Test func aCircleIsSquareAndRound() throws {
        let source = try picture(61, 41, .opaque) { _, _ in Exact(0.2, 0.2, 0.2, 1) }
        let result = try RoundCornersTransformer(.circle)(source)
        #expect(result.size == size(41, 41))
        let area = result.exact.reduce(0) { $0 + $1.w }
        #expect(abs(area - 3.14159 * 20.5 * 20.5) < 3, "\(area)")
    }

    @Test(arguments: allForms) func flatteningLeavesNothingTransparent(form: PixelForm) throws {
        let source = try noise(9, 7, form)
        let result = try FlattenTransformer(SRGBColor(red: 1, green: 0.5, blue: 0))(source)
        #expect(result.alphaMode == .opaque && result.format == form.format)
        let expected = source.exact.map { $0 + Exact(1, 0.5, 0, 1) * (1 - $0.w) }
        #expect(result.distance(to: expected) <= 0.51)
    }

    @Test(arguments: allForms) func anOverlayLiesWhereItIsPut(form: PixelForm) throws {
        let source = try picture(10, 8, form) { _, _ in Exact(0, 0, 1, 1) }
        let badge = try picture(3, 2) { _, _ in Exact(1, 0, 0, 1) }
        for (gravity, x, y) in [
            (Gravity.bottomRight, 6, 5), (.topLeft, 1, 1), (.center, 3, 3), (.top, 3, 1), (.right, 6, 3),
        ] {
            let result = try OverlayTransformer(badge, gravity: gravity, inset: 1)(source)
            #expect(result.form.description == form.description)
            let places = (0..<80).filter { result.pixel($0 % 10, $0 / 10) == [255, 0, 0, 255] }
            let expected = (0..<2).flatMap { row in (0..<3).map { (y + row) * 10 + x + $0 } }
            #expect(places == expected, "\(gravity)")
        }
    }

    @Test func opacityThinsAnOverlayAndWhatSticksOutIsCutOff() throws {
        let source = try picture(4, 4, .opaque) { _, _ in Exact(0, 0, 1, 1) }
        let large = try picture(9, 9, .opaque) { _, _ in Exact(1, 0, 0, 1) }
        let half = try OverlayTransformer(large, gravity: .center, opacity: 0.5)(source)
        #expect((0..<16).allSatisfy { half.pixel($0 % 4, $0 / 4) == [128, 0, 128, 255] })
        #expect(try OverlayTransformer(large, gravity: .topLeft, inset: 50)(source).isSame(as: source))
        let transparent = try picture(4, 4) { _, _ in Exact(0, 0, 1, 0) }
        #expect(try OverlayTransformer(large, opacity: 0.5)(transparent).pixel(1, 1) == [255, 0, 0, 128])
    }

    @Test func overlaysOfOtherPixelsHaveOtherKeys() throws {
        let forms = try allForms.map { OverlayTransformer(try noise(4, 4, $0)).keyPart }
        let sizes = try [(4, 4), (2, 8), (8, 2), (16, 1)].map { width, height in
            OverlayTransformer(try picture(width, height) { _, _ in .zero }).keyPart
        }
        #expect(Set(forms).count == forms.count && Set(sizes).count == sizes.count)
        #expect(try OverlayTransformer(noise(4, 4)).keyPart == OverlayTransformer(noise(4, 4)).keyPart)
        #expect(
            try OverlayTransformer(noise(4, 4)).keyPart != OverlayTransformer(noise(4, 4, seed: 2)).keyPart)
    }
}
