// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// Which sizes a decode goes through.
///
/// All are as stored, before orientation.
struct JPEGPlan {
    /// How the pixels are turned at the end.
    let orientation: Orientation
    /// How far libjpeg reduces.
    let scale: JPEGScale
    /// What libjpeg hands out: whole blocks, of which the last ones may reach beyond the picture.
    let decoded: PixelSize
    /// What of it is the picture.
    let region: SourceRegion
    /// What is wanted, before the turn.
    let target: PixelSize

    /// Larger pictures are resampled while their rows come, slower, but without being held whole.
    static let largestHeld = 16 << 20

    /// Whether what libjpeg hands out is resampled row by row.
    var isStreamed: Bool {
        target != decoded && ByteCount.saturating(decoded.width, decoded.height, 4).bytes > Self.largestHeld
    }

    init(_ info: ImageInfo, _ options: DecodeOptions) {
        orientation = options.appliesOrientation ? info.orientation : .up
        // A box is meant for the picture as it is displayed.
        let displayed = options.targetSize(for: orientation.displaySize(of: info.storedSize))
        target = orientation.exchangesSides ? displayed.transposed : displayed
        scale = JPEGScale(from: info.storedSize, to: target)
        decoded = scale.size(of: info.storedSize)
        region = scale.region(of: info.storedSize)
    }
}
