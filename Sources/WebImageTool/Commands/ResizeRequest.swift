// SPDX-License-Identifier: MIT
internal import WebImage

/// What `--resize` and `--fit` ask for; a side of 0 does not limit.
struct ResizeRequest: Hashable, Sendable {
    let box: PixelSize
    let fit: FitMode

    /// What makes the picture fit; nil where decoding to the box does, which takes less memory and never enlarges.
    var transformer: ResizeTransformer? {
        fit == .contain ? nil : ResizeTransformer(box, fit: fit)
    }

    /// Sets what a request needs for it.
    func apply(to context: inout ImageContext) {
        if let transformer {
            context[.transformer] = transformer
        } else {
            context[.thumbnailSize] = box
        }
    }
}
