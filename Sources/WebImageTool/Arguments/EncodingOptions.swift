// SPDX-License-Identifier: MIT
internal import WebImage

extension OptionSpecification {
    /// How pictures are encoded, for the commands that write some.
    static let encoding: [OptionSpecification] = [
        OptionSpecification(
            "quality", short: "q", value: "1-100", "Quality of lossy formats; 85 if not given."),
        OptionSpecification("lossless", "Keep every pixel of WebP files as it is."),
        OptionSpecification(
            "effort", value: "0-9", "How hard to try for a small file, from 0 (fast) to 9 (small)."),
        OptionSpecification("interlace", "Write progressive JPEG and interlaced PNG files."),
        OptionSpecification(
            "subsampling", value: "444|422|420", "Colour samples of JPEG files; 420 if not given."),
        OptionSpecification("first-frame", "Write a still of the first frame of an animation."),
        OptionSpecification("keep-exif", "Keep EXIF, which may hold places and names."),
        OptionSpecification("keep-xmp", "Keep XMP, which may hold names too."),
        OptionSpecification("strip-icc", "Leave the ICC profile out; colours may change."),
    ]
}

extension ParsedArguments {
    /// How pictures are encoded; nil where no option says anything of it.
    func encoding() throws(UsageError) -> EncodeOptions? {
        guard OptionSpecification.encoding.contains(where: { isSet($0.name) }) else { return nil }
        var options = EncodeOptions()
        if let quality = try integer("quality", 1...100) { options.quality = quality }
        if let effort = try integer("effort", 0...9) {
            options[PNGEncoding.self].level = effort
            options[WebPEncoding.self].effort = (effort * 6 + 4) / 9
            options[JPEGEncoding.self].optimizesTables = effort > 4
        }
        options[WebPEncoding.self].isLossless = isSet("lossless")
        options[JPEGEncoding.self].isProgressive = isSet("interlace")
        options[PNGEncoding.self].isInterlaced = isSet("interlace")
        if let subsampling = try subsampling() { options[JPEGEncoding.self].subsampling = subsampling }
        options.firstFrameOnly = isSet("first-frame")
        options.keepsEXIF = isSet("keep-exif")
        options.keepsXMP = isSet("keep-xmp")
        options.keepsICCProfile = !isSet("strip-icc")
        return options
    }

    private func subsampling() throws(UsageError) -> JPEGEncoding.Subsampling? {
        guard let text = value("subsampling")?.text else { return nil }
        guard let subsampling = JPEGEncoding.Subsampling(rawValue: "s" + text.filter { $0 != ":" }) else {
            throw UsageError("The option --subsampling takes 444, 422 or 420, not \(quoted(text)).")
        }
        return subsampling
    }
}
