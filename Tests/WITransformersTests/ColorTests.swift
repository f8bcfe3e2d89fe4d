// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WITransformers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct ColorTests {
    /// What a function of straight colours makes of a picture, in double precision.
    private func changed(_ pixels: PixelBuffer, _ change: (Exact) -> Exact) -> [Exact] {
        pixels.exact.map { color in
            let straight =
                color.w > 0 ? Exact(color.x / color.w, color.y / color.w, color.z / color.w, 1) : .zero
            var new = change(straight).clamped(lowerBound: .zero, upperBound: .one)
            new.w = color.w
            return multiplied(new)
        }
    }

    private func check(
        _ transformer: some Transformer, _ name: String, _ change: (Exact) -> Exact
    ) throws {
        for form in allForms {
            let source = try noise(9, 6, form)
            let result = try transformer(source)
            #expect(result.form.description == form.description)
            #expect(result.distance(to: changed(source, change)) <= 0.52, "\(name) \(form)")
        }
    }

    private func luma(_ color: Exact) -> Double { 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z }

    @Test func matricesDoWhatCSSSays() throws {
        try check(ColorMatrixTransformer(.grayscale()), "grayscale") { Exact(repeating: luma($0)) }
        try check(ColorMatrixTransformer(.saturation(1.7)), "saturation") { color in
            Exact(repeating: luma(color)) + 1.7 * (color - Exact(repeating: luma(color)))
        }
        try check(ColorMatrixTransformer(.brightness(1.3)), "brightness") { $0 * 1.3 }
        try check(ColorMatrixTransformer(.contrast(0.4)), "contrast") { ($0 - 0.5) * 0.4 + 0.5 }
        try check(ColorMatrixTransformer(.invert()), "invert") { 1 - $0 }
        try check(ColorMatrixTransformer(.sepia()), "sepia") { color in
            Exact(
                0.393 * color.x + 0.769 * color.y + 0.189 * color.z,
                0.349 * color.x + 0.686 * color.y + 0.168 * color.z,
                0.272 * color.x + 0.534 * color.y + 0.131 * color.z, 1)
        }
    }

    @Test func amountsThatChangeNothingChangeNothing() throws {
        for form in allForms where form.mode != .premultiplied {
            let source = try noise(7, 5, form)
            for matrix in [
                ColorMatrix.grayscale(0), .sepia(0), .invert(0), .brightness(1), .contrast(1), .saturation(1),
                .identity,
            ] {
                #expect(try ColorMatrixTransformer(matrix)(source).isSame(as: source))
            }
            #expect(try GammaTransformer(1)(source).isSame(as: source))
        }
    }

    @Test func gammaIsAPower() throws {
        for gamma in [0.5, 2.2] {
            try check(GammaTransformer(gamma), "gamma") { color in
                Exact(pow(color.x, 1 / gamma), pow(color.y, 1 / gamma), pow(color.z, 1 / gamma), 1)
            }
        }
    }

    @Test func aGradientMapGoesByBrightness() throws {
        let (dark, bright) = (
            SRGBColor(red: 0.1, green: 0, blue: 0.4), SRGBColor(red: 1, green: 0.9, blue: 0.2)
        )
        let map = GradientMapTransformer([ColorStop(dark, at: 0.2), ColorStop(bright, at: 0.8)])
        for form in allForms {
            let source = try picture(16, 1, form) { x, _ in
                Exact(Double(x) / 15, Double(x) / 15, Double(x) / 15, 1)
            }
            let expected = (0..<16).map { x in
                let share = min(max((Double(x) / 15 - 0.2) / 0.6, 0), 1)
                return Exact(0.1, 0, 0.4, 1) * (1 - share) + Exact(1, 0.9, 0.2, 1) * share
            }
            #expect(try map(source).distance(to: expected) <= 0.56, "\(form)")
        }
        let source = try noise(3, 3)
        for stops in [
            [], [ColorStop(dark, at: 0.5), ColorStop(bright, at: 0.2)], [ColorStop(dark, at: .nan)],
        ] {
            #expect(throws: ImageError.self) { try GradientMapTransformer(stops)(source) }
        }
    }

    @Test(arguments: allForms) func aTintFillsTheShape(form: PixelForm) throws {
        let source = try noise(9, 6, form)
        let tint = SRGBColor(red: 0.2, green: 0.4, blue: 1, alpha: 0.5)
        let result = try TintTransformer(tint)(source)
        #expect(result.alphaMode == (form.mode == .opaque ? .straight : form.mode))
        let expected = source.exact.map { multiplied(Exact(0.2, 0.4, 1, $0.w * 0.5)) }
        // The alpha that the colour is multiplied by is itself rounded.
        #expect(result.distance(to: expected) <= 1.02)
        let solid = try TintTransformer(SRGBColor(red: 1, green: 0, blue: 0))(source)
        #expect(solid.form.description == form.description)
    }

    @Test func aTintWithAModeKeepsAlpha() throws {
        let tint = SRGBColor(red: 0.2, green: 0.4, blue: 0.9, alpha: 0.75)
        for mode in BlendMode.allCases {
            try check(TintTransformer(tint, mode: mode), mode.rawValue) { below in
                below + 0.75 * (exactMix(mode, below, Exact(0.2, 0.4, 0.9, 1)) - below)
            }
        }
    }

    /// The formulas of Compositing and Blending Level 1, section 10.
    private func exactMix(_ mode: BlendMode, _ below: Exact, _ above: Exact) -> Exact {
        func each(_ mix: (Double, Double) -> Double) -> Exact {
            Exact(mix(below.x, above.x), mix(below.y, above.y), mix(below.z, above.z), 1)
        }
        func hard(_ b: Double, _ s: Double) -> Double {
            s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1)
        }
        switch mode {
        case .normal: return above
        case .multiply: return each { $0 * $1 }
        case .screen: return each { $0 + $1 - $0 * $1 }
        case .overlay: return each { hard($1, $0) }
        case .darken: return each { min($0, $1) }
        case .lighten: return each { max($0, $1) }
        case .colorDodge: return each { $0 == 0 ? 0 : $1 == 1 ? 1 : min(1, $0 / (1 - $1)) }
        case .colorBurn: return each { $0 == 1 ? 1 : $1 == 0 ? 0 : 1 - min(1, (1 - $0) / $1) }
        case .hardLight: return each { hard($0, $1) }
        case .softLight:
            return each { b, s in
                let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
                return s <= 0.5 ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (d - b)
            }
        case .difference: return each { abs($0 - $1) }
        case .exclusion: return each { $0 + $1 - 2 * $0 * $1 }
        case .hue: return setLum(setSat(above, sat(below)), lum(below))
        case .saturation: return setLum(setSat(below, sat(above)), lum(below))
        case .color: return setLum(above, lum(below))
        case .luminosity: return setLum(below, lum(above))
        }
    }

    private func lum(_ c: Exact) -> Double { 0.3 * c.x + 0.59 * c.y + 0.11 * c.z }
    private func sat(_ c: Exact) -> Double { max(c.x, c.y, c.z) - min(c.x, c.y, c.z) }

    private func setLum(_ c: Exact, _ l: Double) -> Exact {
        let d = l - lum(c)
        var parts = [c.x + d, c.y + d, c.z + d]
        let now = 0.3 * parts[0] + 0.59 * parts[1] + 0.11 * parts[2]
        let (n, x) = (parts.min() ?? 0, parts.max() ?? 0)
        if n < 0 { parts = parts.map { now + ($0 - now) * now / (now - n) } }
        if x > 1 { parts = parts.map { now + ($0 - now) * (1 - now) / (x - now) } }
        return Exact(parts[0], parts[1], parts[2], 1)
    }

    private func setSat(_ c: Exact, _ s: Double) -> Exact {
        let (n, x) = (min(c.x, c.y, c.z), max(c.x, c.y, c.z))
        guard x > n else { return .zero }
        return Exact((c.x - n) * s / (x - n), (c.y - n) * s / (x - n), (c.z - n) * s / (x - n), 1)
    }

    @Test func coloursAreReadAsCSSWritesThem() {
        #expect(SRGBColor(hex: "#f00") == SRGBColor(red: 1, green: 0, blue: 0))
        #expect(SRGBColor(hex: "00ff0080")?.hex == "#00ff0080")
        #expect(SRGBColor(hex: "#ABCDEF")?.hex == "#abcdef")
        #expect(SRGBColor(hex: "#1234")?.alpha == 68.0 / 255)
        for text in ["", "#", "#12", "#12345", "##fff", "red", "#ggg", "#fffffffff", "#ff ff"] {
            #expect(SRGBColor(hex: text) == nil, "\(text)")
        }
        #expect(SRGBColor(red: .nan, green: 9, blue: -1).hex == "#00ff00")
    }
}
