// SPDX-License-Identifier: MIT
import Testing
import WICore
import WITransformers

/// Numbers that make no sense are typed errors, and whatever is asked for, nothing traps.
@Suite struct ParameterTests {
    private static let numbers: [Double] = [
        .nan, .infinity, -.infinity, -1, -0.0, 0, 0.5, 1, .leastNonzeroMagnitude, 65_535, 65_536, 1e6, 1e9,
        1e300, -1e300,
        .greatestFiniteMagnitude,
    ]
    private static let integers = [Int.min, -1_000_000_007, -1, 0, 1, 3, 65_536, 1 << 31, 1 << 40, .max]

    private func transformers(_ value: Double) -> [any Transformer] {
        let color = SRGBColor(red: value, green: 0.5, blue: 0.5, alpha: value)
        return [
            ResizeTransformer(.factor(value)), BlurTransformer(sigma: value),
            SharpenTransformer(sigma: value),
            SharpenTransformer(amount: value), SharpenTransformer(threshold: value), GammaTransformer(value),
            RotateTransformer(degrees: value),
            RotateTransformer(degrees: value, fits: false, background: color),
            ColorMatrixTransformer(.brightness(value)), ColorMatrixTransformer(.contrast(value)),
            ColorMatrixTransformer(.saturation(value)), ColorMatrixTransformer(.sepia(value)),
            ColorMatrixTransformer(.invert(value)), ColorMatrixTransformer(.grayscale(value)),
            TintTransformer(color), TintTransformer(color, mode: .color), FlattenTransformer(color),
            PadTransformer(2, color: color), TrimTransformer(tolerance: value),
            RoundCornersTransformer(radius: value),
            RoundCornersTransformer(.circle, borderWidth: value, borderColor: .white),
            RoundCornersTransformer(radius: 2, borderWidth: 1, borderColor: color),
            GradientMapTransformer([ColorStop(color, at: 0)]),
            GradientMapTransformer([ColorStop(.white, at: value)]),
        ]
    }

    private func transformers(_ value: Int, _ overlay: PixelBuffer) -> [any Transformer] {
        let box = size(value, 3)
        return [
            ResizeTransformer(.width(value)), ResizeTransformer(.height(value)),
            ResizeTransformer(box, fit: .cover),
            ResizeTransformer(box, fit: .fill, kernel: .nearest), CropTransformer(box, gravity: .entropy),
            CropTransformer(PixelRect(x: value, y: value, width: 5, height: 5)),
            CropTransformer(PixelRect(x: 1, y: 1, width: value, height: value)), PadTransformer(value),
            PadTransformer(.size(box, .right)), OverlayTransformer(overlay, gravity: .topLeft, inset: value),
            OverlayTransformer(overlay, gravity: .bottomRight, inset: value),
            PadTransformer(.edges(top: value, left: 0, bottom: value, right: 0)),
        ]
    }

    /// What the transformer makes, or its typed error.
    private func outcome(_ transformer: any Transformer, _ source: PixelBuffer) -> ImageError.Code? {
        do {
            _ = try transformer(source)
            return nil
        } catch let error as ImageError {
            #expect(error.stage == .transform && !error.message.isEmpty)
            return error.code
        } catch {
            Issue.record("\(transformer.keyPart): \(error)")
            return nil
        }
    }

    @Test(arguments: numbers) func everyNumberGivesAPictureOrATypedError(value: Double) throws {
        for form in [PixelForm.plain, .opaque] {
            let source = try noise(6, 4, form)
            for transformer in transformers(value) {
                let code = outcome(transformer, source)
                let isAllowed = code == nil || code == .invalidArgument || code == .dimensionLimit
                #expect(isAllowed, "\(transformer.keyPart)")
                if !value.isFinite { #expect(code == .invalidArgument, "\(transformer.keyPart)") }
            }
        }
    }

    @Test(arguments: integers) func everyWholeNumberGivesAPictureOrATypedError(value: Int) throws {
        let source = try noise(6, 4)
        for transformer in transformers(value, source) {
            let code = outcome(transformer, source)
            #expect(
                code == nil || code == .invalidArgument || code == .dimensionLimit, "\(transformer.keyPart)")
        }
    }

    @Test func everyPictureOfOnePixelOrOneRowIsTaken() throws {
        for (width, height) in [(1, 1), (1, 7), (7, 1), (2, 2)] {
            for form in allForms {
                let source = try noise(width, height, form)
                let smart: [any Transformer] = [Gravity.entropy, .attention].map {
                    ResizeTransformer(size(1, 3), fit: .cover, gravity: $0)
                }
                for transformer in transformers(0.5) + transformers(1.0) + transformers(3, source) + smart {
                    #expect(
                        outcome(transformer, source) == nil
                            || outcome(transformer, source) == .invalidArgument)
                }
            }
        }
    }
}
