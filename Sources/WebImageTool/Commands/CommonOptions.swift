// SPDX-License-Identifier: MIT
internal import WebImage

extension OptionSpecification {
    static let format = OptionSpecification(
        "format", short: "f", value: "FORMAT", "Write this format: \(EncodableFormats.text).")
    static let quality = OptionSpecification(
        "quality", short: "q", value: "1-100", "Quality of lossy formats; 85 if not given.")
}

extension ParsedArguments {
    /// How pictures are encoded.
    func encodeOptions() throws(UsageError) -> EncodeOptions {
        var options = EncodeOptions()
        if let quality = try integer("quality", 1...100) { options.quality = quality }
        return options
    }
}
