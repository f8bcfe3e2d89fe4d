// SPDX-License-Identifier: MIT
internal import WebImage

extension OptionSpecification {
    static let format = OptionSpecification(
        "format", short: "f", value: "FORMAT", "Write this format: png, jpeg, gif or pam.")
    static let quality = OptionSpecification(
        "quality", short: "q", value: "1-100", "Quality of lossy formats; 85 if not given.")
    static let resize = OptionSpecification(
        "resize", short: "r", value: "WxH", "Fit into this box of pixels; 300x and x200 limit one side.")
    static let fit = OptionSpecification(
        "fit", value: "HOW",
        "contain (whole, never enlarged; the default), cover (fills the box, cut evenly) or fill (stretched)."
    )
}

extension ParsedArguments {
    /// How pictures are encoded.
    func encodeOptions() throws(UsageError) -> EncodeOptions {
        var options = EncodeOptions()
        if let quality = try integer("quality", 1...100) { options.quality = quality }
        return options
    }
}
