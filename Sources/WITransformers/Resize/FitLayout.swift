// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// Where a picture goes when it is fitted: the size of the result, and the part of the picture that fills it.
struct FitLayout: Equatable {
    let size: PixelSize
    let region: SourceRegion

    /// What a target makes of a picture. All sides and factors are positive and finite.
    init(
        _ source: PixelSize, to target: ResizeTarget, _ fit: FitMode, enlarges: Bool, anchor: Anchor = .center
    ) {
        let most = Int(Int32.max)
        switch target {
        case .box(let box):
            self.init(source, into: box, fit, enlarges: enlarges, anchor: anchor)
        case .width(let width):
            let box = PixelSize(width: width, height: most)
            self.init(source, into: box, .contain, enlarges: enlarges)
        case .height(let height):
            let box = PixelSize(width: most, height: height)
            self.init(source, into: box, .contain, enlarges: enlarges)
        case .factor(let factor):
            let used = enlarges ? factor : min(factor, 1)
            self.init(
                size: PixelSize(
                    width: Self.rounded(source.width, used, most),
                    height: Self.rounded(source.height, used, most)),
                region: SourceRegion(source))
        }
    }

    private init(size: PixelSize, region: SourceRegion) {
        self.size = size
        self.region = region
    }

    /// Both sides are positive.
    init(
        _ source: PixelSize, into box: PixelSize, _ fit: FitMode, enlarges: Bool, anchor: Anchor = .center
    ) {
        let across = Double(box.width) / Double(source.width)
        let down = Double(box.height) / Double(source.height)
        switch fit {
        case .fill:
            size =
                enlarges
                ? box : PixelSize(width: min(box.width, source.width), height: min(box.height, source.height))
            region = SourceRegion(source)
        case .contain:
            size = Self.contained(source, box, across, down, enlarges)
            region = SourceRegion(source)
        case .cover:
            let factor = enlarges ? max(across, down) : min(max(across, down), 1)
            let (width, x, columns) = Self.covered(source.width, box.width, factor, anchor.x)
            let (height, y, rows) = Self.covered(source.height, box.height, factor, anchor.y)
            size = PixelSize(width: width, height: height)
            region = SourceRegion(x: x, y: y, width: columns, height: rows)
        }
    }

    private static func contained(
        _ source: PixelSize, _ box: PixelSize, _ across: Double, _ down: Double, _ enlarges: Bool
    ) -> PixelSize {
        if !enlarges, across >= 1, down >= 1 { return source }
        // The side that limits is exactly the box's: no rounding of a product can miss it.
        if across <= down {
            return PixelSize(width: box.width, height: rounded(source.height, across, box.height))
        }
        return PixelSize(width: rounded(source.width, down, box.width), height: box.height)
    }

    private static func rounded(_ side: Int, _ factor: Double, _ most: Int) -> Int {
        let exact = (Double(side) * factor).rounded()
        return exact >= Double(most) ? most : max(1, Int(exact))
    }

    /// One direction: the target's side, and the source pixels from `start` on that fill it.
    private static func covered(_ side: Int, _ box: Int, _ factor: Double, _ anchor: Double) -> (
        side: Int, start: Double, length: Double
    ) {
        let whole = Double(side) * factor
        let target = whole.rounded() < Double(box) ? max(1, Int(whole.rounded())) : box
        let length = min(Double(target) / factor, Double(side))
        let start = (Double(side) - length) * anchor
        // Where nothing is scaled, pixels are cut out as they are: half a pixel's shift would blur them.
        let shown = factor == 1 ? start.rounded(.down) : start
        return (target, min(shown, Double(side) - length), length)
    }
}
