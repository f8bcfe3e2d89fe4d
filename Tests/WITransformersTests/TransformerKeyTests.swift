// SPDX-License-Identifier: MIT
import Testing
import WICore
import WITransformers

@Suite struct TransformerKeyTests {
    private func closure(_ key: String, _ change: @escaping @Sendable (PixelBuffer) -> PixelBuffer = { $0 })
        -> ClosureTransformer
    {
        ClosureTransformer(key: key) { pixels, _ in change(pixels) }
    }

    @Test func keysAreReadable() {
        let size = PixelSize(width: 300, height: 200)
        #expect("\(ResizeTransformer(size).keyPart)" == "resize(v1,300x200,contain,lanczos3)")
        #expect(
            "\(ResizeTransformer(size, enlarges: false).keyPart)"
                == "resize(v1,300x200,contain,lanczos3,shrink)")
        #expect("\(closure("sepia,v2").keyPart)" == "closure(sepia,v2)")
    }

    @Test func differentParametersHaveDifferentKeys() {
        var keys: Set<KeyPart> = []
        var count = 0
        for size in [(1, 11), (11, 1), (111, 1), (300, 200), (200, 300)] {
            for fit in FitMode.allCases {
                for kernel in ResamplingKernel.allCases {
                    for enlarges in [true, false] {
                        let size = PixelSize(width: size.0, height: size.1)
                        keys.insert(
                            ResizeTransformer(size, fit: fit, kernel: kernel, enlarges: enlarges).keyPart)
                        count += 1
                    }
                }
            }
        }
        #expect(keys.count == count)
    }

    /// Transformers of every kind, all with parameters of their own.
    private func everything() throws -> [any Transformer] {
        let colors = [
            SRGBColor.clear, .black, .white, SRGBColor(red: 0.1, green: 0.2, blue: 0.3),
            SRGBColor(red: 0.3, green: 0.2, blue: 0.1),
            SRGBColor(red: 0.1, green: 0.2, blue: 0.3, alpha: 0.5),
        ]
        let numbers = [0.25, 0.5, 1.5, 2, 22.5, 1e-7]
        var all: [any Transformer] = []
        for gravity in Gravity.allCases {
            all += [
                CropTransformer(size(3, 4), gravity: gravity), PadTransformer(.size(size(3, 4), gravity)),
                ResizeTransformer(size(3, 4), fit: .cover, gravity: gravity),
                OverlayTransformer(try noise(2, 2), gravity: gravity, inset: 1),
            ]
        }
        for color in colors {
            all += [
                TintTransformer(color), PadTransformer(1, color: color),
                RotateTransformer(degrees: 10, background: color),
                RoundCornersTransformer(radius: 5, borderWidth: 1, borderColor: color),
                GradientMapTransformer([ColorStop(color, at: 0)]),
            ]
            all += BlendMode.allCases.map { TintTransformer(color, mode: $0) }
        }
        for color in colors.dropFirst(2) where color.alpha == 1 { all.append(FlattenTransformer(color)) }
        for number in numbers {
            all += [
                BlurTransformer(sigma: number), SharpenTransformer(sigma: number, amount: 3),
                SharpenTransformer(amount: number), SharpenTransformer(amount: 3, threshold: number),
                GammaTransformer(number), ResizeTransformer(.factor(number)),
                RotateTransformer(degrees: number),
                RotateTransformer(degrees: number, fits: false), TrimTransformer(tolerance: number),
                RoundCornersTransformer(radius: number),
                RoundCornersTransformer(.circle, borderWidth: number),
                RoundCornersTransformer(radius: number, corners: [.topLeft]),
                ColorMatrixTransformer(.brightness(number)),
                ColorMatrixTransformer(.contrast(number)), ColorMatrixTransformer(.saturation(number)),
                ColorMatrixTransformer(.sepia(number)), ColorMatrixTransformer(.invert(number / 4)),
                GradientMapTransformer([ColorStop(.black, at: 0), ColorStop(.white, at: number)]),
                OverlayTransformer(try noise(3, 3), opacity: number),
            ]
        }
        for side in [1, 2, 11, 12, 21, 111] {
            all += [
                ResizeTransformer(.width(side)), ResizeTransformer(.height(side)),
                ResizeTransformer(.width(side), enlarges: false),
                ResizeTransformer(.width(side), usesLinearLight: true),
                CropTransformer(PixelRect(x: side, y: 0, width: 3, height: 3)),
                CropTransformer(PixelRect(x: -side, y: 0, width: 3, height: 3)),
                CropTransformer(PixelRect(x: 0, y: side, width: 3, height: 3)),
                CropTransformer(PixelRect(x: 0, y: 0, width: side, height: 3)),
                PadTransformer(.edges(top: side, left: 3, bottom: 3, right: 3)),
                PadTransformer(.edges(top: 3, left: side, bottom: 3, right: 3)),
            ]
        }
        all += Orientation.allCases.map { OrientationTransformer($0) }
        all.append(RoundCornersTransformer(.circle))
        return all
    }

    @Test func differentParametersOfEveryKindHaveDifferentKeys() throws {
        var owners: [KeyPart: String] = [:]
        for transformer in try everything() {
            let words = String(reflecting: transformer)
            if let other = owners.updateValue(words, forKey: transformer.keyPart) {
                #expect(other == words, "\(transformer.keyPart) stands for two")
            }
        }
        #expect(owners.count > 200)
    }

    @Test func equalParametersHaveEqualKeysThatNameTheirVersion() throws {
        for (one, other) in zip(try everything(), try everything()) {
            #expect(one.keyPart == other.keyPart)
            #expect(one.keyPart.value.hasPrefix("v1,"), "\(one.keyPart)")
        }
        #expect(BlurTransformer(sigma: -0.0).keyPart == BlurTransformer(sigma: 0).keyPart)
        #expect(RotateTransformer(degrees: -90).keyPart == RotateTransformer(degrees: 270).keyPart)
        #expect(FlipTransformer(horizontally: true).keyPart == OrientationTransformer(.upMirrored).keyPart)
        #expect("\(BlurTransformer(sigma: 2.5).keyPart)" == "blur(v1,2.5)")
    }

    @Test func aPipelinesKeyTellsOrderAndBorders() {
        let pipelines = [
            ["a", "b"], ["b", "a"], ["a", "b", "b"], ["a)0,1:closure(b"], ["a;7,1:closure(b"], [],
        ]
        let keys = pipelines.map { PipelineTransformer($0.map { closure($0) }).keyPart }
        #expect(Set(keys).count == keys.count)
        let tricky = PipelineTransformer([closure("a;7,1:closure(b"), closure("c")]).keyPart
        let plain = PipelineTransformer([closure("a"), closure("b"), closure("c")]).keyPart
        #expect(tricky != plain)
    }

    @Test func equalEffectsHaveEqualKeys() {
        let (a, b, c) = (closure("a"), closure("b"), closure("c"))
        let flat = PipelineTransformer([a, b, c])
        #expect(PipelineTransformer([a, PipelineTransformer([b, c])]).keyPart == flat.keyPart)
        #expect(PipelineTransformer([a]).keyPart == a.keyPart)
    }

    @Test func aPipelineHandsEachResultToTheNext() throws {
        let source = try MutablePixels(width: 40, height: 40).publish()
        let pipeline = PipelineTransformer([
            ResizeTransformer(PixelSize(width: 20, height: 10), fit: .fill),
            ResizeTransformer(PixelSize(width: 5, height: 5)),
        ])
        // 20x10 into 5x5: 5 by 2.5, halves up.
        #expect(try pipeline.transform(source, WorkContext()).size == PixelSize(width: 5, height: 3))
        #expect(try PipelineTransformer([]).transform(source, WorkContext()).size == source.size)
    }

    @Test func aPipelineStopsAtTheFirstFailure() throws {
        struct Failure: Error {}
        let source = try MutablePixels(width: 4, height: 4).publish()
        let failing = ClosureTransformer(key: "fails") { _, _ in throw Failure() }
        let after = closure("never") { pixels in
            Issue.record("The transformer after a failure was called.")
            return pixels
        }
        #expect(throws: Failure.self) {
            try PipelineTransformer([failing, after]).transform(source, WorkContext())
        }
    }
}
