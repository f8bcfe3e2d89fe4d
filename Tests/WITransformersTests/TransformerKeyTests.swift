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
