// SPDX-License-Identifier: MIT
internal import WICore

/// Which sizes a decode goes through.
///
/// All are as stored, before orientation.
struct JPEGPlan {
    /// How the pixels are turned at the end.
    let orientation: Orientation
    /// How far libjpeg reduces.
    let scale: JPEGScale
    /// What libjpeg hands out.
    let decoded: PixelSize
    /// What is wanted, before the turn.
    let target: PixelSize

    init(_ info: ImageInfo, _ options: DecodeOptions) {
        orientation = options.appliesOrientation ? info.orientation : .up
        // A box is meant for the picture as it is displayed.
        let displayed = options.targetSize(for: orientation.displaySize(of: info.storedSize))
        target = orientation.exchangesSides ? displayed.transposed : displayed
        scale = JPEGScale(from: info.storedSize, to: target)
        decoded = scale.size(of: info.storedSize)
    }
}
