// SPDX-License-Identifier: MIT
internal import WebImage

extension EditStep {
    /// What does the step.
    func transformer() throws(UsageError) -> any Transformer {
        switch name {
        case "resize": try ResizeStep(self).transformer
        case "crop": try crop()
        case "trim": TrimTransformer()
        case "rotate":
            RotateTransformer(degrees: try number(value.text), background: try background() ?? .clear)
        case "flip": try flip()
        case "pad": try pad()
        case "round": try round()
        case "overlay": try overlay()
        default: try colorOrBlur()
        }
    }

    private func colorOrBlur() throws(UsageError) -> any Transformer {
        switch name {
        case "blur": return BlurTransformer(sigma: try number(value.text))
        case "sharpen": return try sharpen()
        case "tint": return TintTransformer(try color(value.text), mode: try choice("blend", BlendMode.self))
        case "grayscale": return ColorMatrixTransformer(.grayscale())
        case "sepia": return ColorMatrixTransformer(.sepia())
        case "invert": return ColorMatrixTransformer(.invert())
        case "brightness": return ColorMatrixTransformer(.brightness(try number(value.text)))
        case "contrast": return ColorMatrixTransformer(.contrast(try number(value.text)))
        case "saturation": return ColorMatrixTransformer(.saturation(try number(value.text)))
        case "gamma": return GammaTransformer(try number(value.text))
        case "duotone": return try duotone()
        default: return FlattenTransformer(try color(value.text))
        }
    }

    private func crop() throws(UsageError) -> CropTransformer {
        let parts = value.text.lowercased().split(separator: "+", omittingEmptySubsequences: false)
        let sides = (parts.first ?? "").split(separator: "x", omittingEmptySubsequences: false)
        let numbers = (sides + parts.dropFirst()).map(wholeNumber)
        guard sides.count == 2, parts.count == 1 || parts.count == 3,
            numbers.allSatisfy({ $0 != nil }), let width = numbers[0], let height = numbers[1]
        else { throw fail("WIDTHxHEIGHT or WIDTHxHEIGHT+X+Y in pixels") }
        guard parts.count == 3, let x = numbers[2], let y = numbers[3] else {
            return CropTransformer(
                PixelSize(width: width, height: height),
                gravity: try choice("gravity", Gravity.self) ?? .center)
        }
        if modifiers["gravity"] != nil { throw UsageError("--crop has either a place or a --gravity.") }
        return CropTransformer(PixelRect(x: x, y: y, width: width, height: height))
    }

    private func flip() throws(UsageError) -> FlipTransformer {
        switch value.text.lowercased() {
        case "horizontal", "h": FlipTransformer(horizontally: true)
        case "vertical", "v": FlipTransformer(vertically: true)
        case "both": FlipTransformer(horizontally: true, vertically: true)
        default: throw fail("horizontal, vertical or both")
        }
    }

    private func pad() throws(UsageError) -> PadTransformer {
        let color = try background() ?? .clear
        let sides = value.text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map(
            wholeNumber)
        if sides.count == 2, let width = sides[0], let height = sides[1] {
            let gravity = try choice("gravity", Gravity.self) ?? .center
            return PadTransformer(.size(PixelSize(width: width, height: height), gravity), color: color)
        }
        let edges = value.text.split(separator: ",", omittingEmptySubsequences: false).compactMap(wholeNumber)
        if modifiers["gravity"] != nil {
            throw UsageError("--gravity makes sense with --pad WIDTHxHEIGHT only.")
        }
        switch (edges.count, value.text.filter { $0 == "," }.count) {
        case (1, 0): return PadTransformer(edges[0], color: color)
        case (4, 3):
            return PadTransformer(
                .edges(top: edges[0], left: edges[3], bottom: edges[2], right: edges[1]), color: color)
        default: throw fail("a number of pixels, WIDTHxHEIGHT, or TOP,RIGHT,BOTTOM,LEFT")
        }
    }

    private func round() throws(UsageError) -> RoundCornersTransformer {
        let shape: RoundCornersTransformer.Shape =
            value.text.lowercased() == "circle" ? .circle : .corners(radius: try number(value.text), .all)
        guard let border = modifiers["border"] else { return RoundCornersTransformer(shape) }
        let parts = border.text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Double(parts[0]), width.isFinite else {
            throw fail("WIDTH,COLOR such as 3,white", option: "border", not: border)
        }
        return RoundCornersTransformer(
            shape, borderWidth: width, borderColor: try color(parts[1], option: "border"))
    }

    private func sharpen() throws(UsageError) -> SharpenTransformer {
        let numbers = try numbers(1...3, "SIGMA, SIGMA,AMOUNT or SIGMA,AMOUNT,THRESHOLD")
        return SharpenTransformer(
            sigma: numbers[0], amount: numbers.count > 1 ? numbers[1] : 1,
            threshold: numbers.count > 2 ? numbers[2] : 0)
    }

    private func duotone() throws(UsageError) -> GradientMapTransformer {
        let parts = value.text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw fail("two colours such as #102040,#ffe0b0") }
        return GradientMapTransformer([
            ColorStop(try color(parts[0]), at: 0), ColorStop(try color(parts[1]), at: 1),
        ])
    }

    private func overlay() throws(UsageError) -> OverlayTransformer {
        guard !value.isURL else { throw fail("a local file") }
        let picture: DecodedImage
        do {
            var options = DecodeOptions()
            options.firstFrameOnly = true
            picture = try Defaults.coders().decode(try InputFile.contents(of: value), options, WorkContext())
        } catch {
            throw UsageError(
                "The overlay cannot be read: \(ImageError.wrapping(error, as: .corruptData, stage: .decode))")
        }
        let inset = try number(of: "inset") ?? 0
        guard let pixels = Int(exactly: inset) else {
            throw fail("a whole number", option: "inset", not: modifiers["inset"])
        }
        return OverlayTransformer(
            picture.pixels, gravity: try choice("gravity", Gravity.self) ?? .bottomRight, inset: pixels,
            opacity: try number(of: "opacity") ?? 1, mode: try choice("blend", BlendMode.self) ?? .normal)
    }
}
