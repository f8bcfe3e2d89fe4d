// SPDX-License-Identifier: MIT
internal import WebImage

extension ResizeRequest {
    /// What makes the picture fit; nil where decoding to the box does.
    var transformer: (any Transformer)? { nil }
}
