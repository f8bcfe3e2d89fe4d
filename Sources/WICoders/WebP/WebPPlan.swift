// SPDX-License-Identifier: MIT
internal import WICore

/// Which sizes a decode goes through.
///
/// All are as stored, before orientation.
struct WebPPlan: Equatable {
    /// How the pixels are turned at the end.
    let orientation: Orientation
    /// What is wanted, before the turn.
    let target: PixelSize
    /// What libwebp may hand out instead of all pixels.
    let reduced: PixelSize

    init(_ info: ImageInfo, _ options: DecodeOptions) {
        orientation = options.appliesOrientation ? info.orientation : .up
        // A box is meant for the picture as it is displayed.
        let displayed = options.targetSize(
            for: orientation.displaySize(of: info.storedSize),
            frameCount: options.firstFrameOnly ? 1 : info.frameCount)
        target = orientation.exchangesSides ? displayed.transposed : displayed
        reduced = Self.reduced(info.storedSize, to: target)
    }

    /// A whole fraction that leaves a factor of about two to the resampler, or the stored size.
    ///
    /// libwebp averages areas, of the halved chroma too: where these are whole pixels the picture stays sharp, elsewhere
    /// it becomes blurred and shifted.
    private static func reduced(_ stored: PixelSize, to target: PixelSize) -> PixelSize {
        let most = min(
            8 * stored.width / (15 * max(1, target.width)), 8 * stored.height / (15 * max(1, target.height)))
        guard most >= 2, stored.width % 2 == 0, stored.height % 2 == 0 else { return stored }
        let divisors = (2...most).reversed()
        guard let divisor = divisors.first(where: { stored.width % $0 == 0 && stored.height % $0 == 0 })
        else {
            return stored
        }
        return PixelSize(width: stored.width / divisor, height: stored.height / divisor)
    }
}
