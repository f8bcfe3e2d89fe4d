// SPDX-License-Identifier: MIT
internal import WebImage

extension OptionSpecification {
    static let format = OptionSpecification(
        "format", short: "f", value: "FORMAT", "Write this format: \(EncodableFormats.text).")
    static let resize = OptionSpecification(
        "resize", short: "r", value: "WxH", "Fit into this box of pixels; 300x and x200 limit one side.")
    static let fit = OptionSpecification(
        "fit", value: "HOW",
        "contain (whole, never enlarged; the default), cover (fills the box, cut evenly) or fill (stretched)."
    )
}
