// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WIPixels
@testable import WITransformers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Blurs against the sampled Gaussian, reckoned slowly in double precision.
@Suite struct BlurTests {
    private func reference(_ pixels: PixelBuffer, _ sigma: Double) -> [Exact] {
        let reach = Int((6 * sigma).rounded(.up))
        let weights = (-reach...reach).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
        let sum = weights.reduce(0, +)
        func blurred(_ colors: [Exact], _ length: Int, _ place: (Int, Int) -> Int) -> [Exact] {
            var result = colors
            for line in 0..<colors.count / length {
                for index in 0..<length {
                    result[place(line, index)] = weights.indices.reduce(Exact.zero) { total, tap in
                        let from = min(max(index + tap - reach, 0), length - 1)
                        return total + weights[tap] / sum * colors[place(line, from)]
                    }
                }
            }
            return result
        }
        let down = blurred(pixels.exact, pixels.height) { line, index in index * pixels.width + line }
        return blurred(down, pixels.width) { line, index in line * pixels.width + index }
    }

    @Test(arguments: [0.3, 0.5, 0.8, 1, 1.5, 1.99, 2, 3, 5, 12], allForms)
    func everySigmaIsWithinOneStepOfTheGaussian(sigma: Double, form: PixelForm) throws {
        let source = try noise(21, 14, form)
        let result = try BlurTransformer(sigma: sigma)(source)
        #expect(result.form.description == form.description)
        // A straight colour and its alpha are both rounded.
        #expect(result.distance(to: reference(source, sigma)) <= (form.mode == .straight ? 1 : 0.75))
    }

    @Test(arguments: [1.0, 2, 7, 30]) func edgesAndPointsAreWithinOneStep(sigma: Double) throws {
        let edge = try picture(40, 6, .opaque) { x, _ in Exact(repeating: x < 17 ? 0 : 1) }
        #expect(try BlurTransformer(sigma: sigma)(edge).distance(to: reference(edge, sigma)) <= 0.75)
        let point = try picture(25, 25, .opaque) { x, y in Exact(repeating: x == 12 && y == 12 ? 1 : 0) }
        #expect(try BlurTransformer(sigma: sigma)(point).distance(to: reference(point, sigma)) <= 0.75)
    }

    @Test(arguments: [0.7, 2, 10, 100, 5000, 65_535], allForms)
    func flatFieldsStayFlat(sigma: Double, form: PixelForm) throws {
        for color in [
            Exact(0.8, 0.1, 0.3, 0.5), Exact(1, 1, 1, 1), Exact(0, 0, 0, 0), Exact(0.5, 1, 0, 0.02),
        ] {
            let source = try picture(33, 9, form) { _, _ in color }
            let result = try BlurTransformer(sigma: sigma)(source)
            #expect(result.distance(to: source.exact) <= 2.0 / 257, "\(color)")
            if form.format.bitsPerChannel == 8 { #expect(result.isSame(as: source), "\(color)") }
            #expect(Set(result.stored).count == 1)
        }
    }

    @Test(arguments: [1.2, 4, 40], allForms)
    func whatIsMirroredIsMirroredExactly(sigma: Double, form: PixelForm) throws {
        let source = try noise(19, 11, form)
        let flip = FlipTransformer(horizontally: true, vertically: true)
        let blur = BlurTransformer(sigma: sigma)
        #expect(try blur(flip(source)).isSame(as: flip(blur(source))))
    }

    @Test(arguments: [0.6, 3, 50]) func edgesOfAlphaGetNoFringe(sigma: Double) throws {
        let source = try picture(24, 8) { x, _ in x < 12 ? Exact(1, 0.5, 0.25, 1) : Exact(0, 1, 0, 0) }
        for color in try BlurTransformer(sigma: sigma)(source).stored where color.w > 0.02 {
            #expect(abs(color.x - 1) < 0.02 && abs(color.y - 0.5) < 0.02 && abs(color.z - 0.25) < 0.02)
        }
    }

    @Test(arguments: [0.9, 6], allForms)
    func vectorsAndPlainCodeGiveTheSamePixels(sigma: Double, form: PixelForm) throws {
        for (width, height) in [(1, 1), (1, 9), (9, 1), (13, 6), (64, 3)] {
            let source = try noise(width, height, form)
            let vector = try source.blurred(sigma: sigma, WorkContext())
            #expect(try source.blurred(sigma: sigma, scalar: true, WorkContext()).isSame(as: vector))
        }
    }

    @Test(arguments: allForms) func threadsThatHelpChangeNoPixel(form: PixelForm) async throws {
        let source = try noise(700, 130, form)
        let blur = BlurTransformer(sigma: 3)
        let shared = try await WorkPool(threads: 4).run { work in try blur.transform(source, work) }
        #expect(try blur(source).isSame(as: shared))
    }

    @Test func noBlurIsThePictureItself() throws {
        let source = try noise(5, 5)
        #expect(try BlurTransformer(sigma: 0)(source).isSame(as: source))
    }

    @Test func sharpeningAddsWhatABlurTakesAway() throws {
        for form in allForms {
            let source = try noise(16, 12, form)
            let soft = reference(source, 1.5)
            let expected = zip(source.exact, soft).map { sharp, soft in
                var color = sharp + 0.7 * (sharp - soft)
                color.clamp(lowerBound: .zero, upperBound: Exact(repeating: sharp.w))
                color.w = sharp.w
                return color
            }
            let result = try SharpenTransformer(sigma: 1.5, amount: 0.7)(source)
            #expect(result.distance(to: expected) <= 0.75, "\(form)")
        }
    }

    @Test func aThresholdLeavesSmallDifferencesAlone() throws {
        let source = try picture(12, 4, .opaque) { x, _ in Exact(repeating: x < 6 ? 0.4 : 0.42) }
        #expect(try SharpenTransformer(threshold: 0.03)(source).isSame(as: source))
        #expect(try !SharpenTransformer(threshold: 0.001)(source).isSame(as: source))
    }

    @Test func cancelledWorkMakesNothing() throws {
        let work = WorkContext()
        work.flag.raise()
        let source = try noise(20, 20)
        for transformer in [BlurTransformer(sigma: 1), SharpenTransformer()] as [any Transformer] {
            let error = #expect(throws: ImageError.self) { try transformer.transform(source, work) }
            #expect(error?.code == .cancelled)
        }
    }
}
