// SPDX-License-Identifier: MIT
import Testing
import WICore
import WIPixels

@testable import WITransformers

@Suite struct FitLayoutTests {
    private func layout(
        _ width: Int, _ height: Int, _ box: (Int, Int), _ fit: FitMode, enlarges: Bool = true
    ) -> FitLayout {
        FitLayout(
            PixelSize(width: width, height: height), into: PixelSize(width: box.0, height: box.1), fit,
            enlarges: enlarges)
    }

    @Test func containKeepsTheAspectRatioAndRoundsTheOtherSide() {
        #expect(layout(4000, 3000, (300, 300), .contain).size == PixelSize(width: 300, height: 225))
        #expect(layout(3000, 4000, (300, 300), .contain).size == PixelSize(width: 225, height: 300))
        // 3 * 100 / 7 = 42.86
        #expect(layout(7, 3, (100, 100), .contain).size == PixelSize(width: 100, height: 43))
        // 100 * 5 / 8 = 62.5: halves go up.
        #expect(layout(8, 5, (100, 100), .contain).size == PixelSize(width: 100, height: 63))
    }

    @Test func noSideIsEverZero() {
        #expect(layout(100_000, 1, (300, 300), .contain).size == PixelSize(width: 300, height: 1))
        #expect(layout(1, 100_000, (1, 1), .contain).size == PixelSize(width: 1, height: 1))
        #expect(layout(1, 100_000, (1, 1), .cover, enlarges: false).size == PixelSize(width: 1, height: 1))
    }

    @Test func coverFillsTheBoxWithTheMiddle() {
        let wide = layout(4000, 3000, (300, 300), .cover)
        #expect(wide.size == PixelSize(width: 300, height: 300))
        #expect(wide.region == SourceRegion(x: 500, y: 0, width: 3000, height: 3000))
        let tall = layout(100, 400, (50, 20), .cover)
        #expect(tall.size == PixelSize(width: 50, height: 20))
        #expect(tall.region == SourceRegion(x: 0, y: 180, width: 100, height: 40))
    }

    @Test func withoutEnlargingSmallPicturesKeepTheirSize() {
        #expect(
            layout(40, 30, (300, 300), .contain, enlarges: false).size == PixelSize(width: 40, height: 30))
        #expect(layout(40, 30, (300, 20), .fill, enlarges: false).size == PixelSize(width: 40, height: 20))
        #expect(layout(40, 30, (300, 300), .cover, enlarges: false).size == PixelSize(width: 40, height: 30))
        let cut = layout(41, 30, (20, 300), .cover, enlarges: false)
        #expect(cut.size == PixelSize(width: 20, height: 30))
        #expect(cut.region == SourceRegion(x: 10, y: 0, width: 20, height: 30))
    }

    @Test func everyLayoutLiesInsideItsPicture() {
        var seed: UInt64 = 5
        func next(_ most: UInt64) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((seed >> 33) % most) + 1
        }
        for _ in 0..<20_000 {
            let source = PixelSize(width: next(3000), height: next(3000))
            let box = PixelSize(width: next(700), height: next(700))
            for fit in FitMode.allCases {
                for enlarges in [true, false] {
                    let layout = FitLayout(source, into: box, fit, enlarges: enlarges)
                    let region = layout.region
                    let fits = layout.size.width <= box.width && layout.size.height <= box.height
                    let inside =
                        region.x >= 0 && region.y >= 0 && region.width > 0 && region.height > 0
                        && region.x + region.width <= Double(source.width)
                        && region.y + region.height <= Double(source.height)
                    let positive = layout.size.width > 0 && layout.size.height > 0
                    let touches = layout.size.width == box.width || layout.size.height == box.height
                    let exact = !enlarges || (fit == .contain ? touches : layout.size == box)
                    if !(fits && inside && positive && exact) {
                        Issue.record("\(source) into \(box), \(fit), enlarges \(enlarges): \(layout)")
                    }
                }
            }
        }
    }
}
