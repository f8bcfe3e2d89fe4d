// SPDX-License-Identifier: MIT
import Testing
import WICore
import WITransformers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Resizing against its definition, reckoned slowly in double precision.
@Suite struct ResizeReferenceTests {
    private static let kernels = ResamplingKernel.allCases

    private func value(_ kernel: ResamplingKernel, _ signed: Double) -> Double {
        let x = abs(signed)
        func cubic(_ b: Double, _ c: Double) -> Double {
            if x < 1 {
                return ((12 - 9 * b - 6 * c) * x * x * x + (12 * b + 6 * c - 18) * x * x + 6 - 2 * b) / 6
            }
            guard x < 2 else { return 0 }
            return
                (-(b + 6 * c) * x * x * x + (6 * b + 30 * c) * x * x - (12 * b + 48 * c) * x + 8 * b + 24 * c)
                / 6
        }
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
        switch kernel {
        case .nearest, .box: return signed > -0.5 && signed <= 0.5 ? 1 : 0
        case .bilinear: return max(0, 1 - x)
        case .catmullRom: return cubic(0, 0.5)
        case .mitchell: return cubic(1.0 / 3, 1.0 / 3)
        case .lanczos3: return x < 3 ? sinc(x) * sinc(x / 3) : 0
        }
    }

    /// For each new pixel, what the old ones weigh.
    private func weights(_ kernel: ResamplingKernel, _ from: Int, _ to: Int) -> [[Double]] {
        let ratio = Double(from) / Double(to)
        return (0..<to).map { index in
            let centre = (Double(index) + 0.5) * ratio
            if kernel == .nearest { return (0..<from).map { $0 == Int(centre) ? 1 : 0 } }
            let row = (0..<from).map { value(kernel, (Double($0) + 0.5 - centre) / max(ratio, 1)) }
            let sum = row.reduce(0, +)
            return row.map { $0 / sum }
        }
    }

    private func reference(_ source: [Exact], _ old: PixelSize, _ new: PixelSize, _ kernel: ResamplingKernel)
        -> [Exact]
    {
        let (across, down) = (weights(kernel, old.width, new.width), weights(kernel, old.height, new.height))
        let rows = down.flatMap { weights in
            (0..<old.width).map { x in
                weights.indices.reduce(Exact.zero) { $0 + weights[$1] * source[$1 * old.width + x] }
            }
        }
        return (0..<new.width * new.height).map { index in
            let (weights, row) = (across[index % new.width], index / new.width * old.width)
            let sum = weights.indices.reduce(Exact.zero) { $0 + weights[$1] * rows[row + $1] }
            // What rings beyond what can be is cut: alpha at 1, colours at alpha.
            let alpha = min(max(sum.w, 0), 1)
            var color = sum.clamped(lowerBound: .zero, upperBound: Exact(repeating: alpha))
            color.w = alpha
            return color
        }
    }

    @Test(arguments: kernels, allForms)
    func everyKernelIsWithinOneStepInEveryFormat(kernel: ResamplingKernel, form: PixelForm) throws {
        let source = try noise(23, 17, form)
        for new in [size(9, 5), size(40, 31), size(23, 6), size(5, 40)] {
            let result = try ResizeTransformer(new, fit: .fill, kernel: kernel)(source)
            #expect(result.form.description == form.description)
            let exact = reference(source.exact, source.size, new, kernel)
            #expect(result.distance(to: exact) <= 1, "to \(new)")
        }
    }

    private func curved(_ colors: [Exact], _ curve: (Double) -> Double) -> [Exact] {
        colors.map { Exact(curve($0.x), curve($0.y), curve($0.z), $0.w) }
    }

    @Test(arguments: [ResamplingKernel.box, .bilinear, .lanczos3], allForms)
    func inLinearLightLightIsAveraged(kernel: ResamplingKernel, form: PixelForm) throws {
        let source = try noise(20, 14, form)
        let new = size(7, 5)
        let result = try ResizeTransformer(new, fit: .fill, kernel: kernel, usesLinearLight: true)(source)
        #expect(result.form.description == form.description)
        let straight = source.exact.map {
            $0.w > 0 ? Exact($0.x / $0.w, $0.y / $0.w, $0.z / $0.w, $0.w) : .zero
        }
        let light = curved(straight) { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        let mean = reference(light.map(multiplied), source.size, new, kernel)
            .map { $0.w > 0 ? Exact($0.x / $0.w, $0.y / $0.w, $0.z / $0.w, $0.w) : .zero }
        let stored = curved(mean) { $0 <= 0.0031308 ? $0 * 12.92 : 1.055 * pow($0, 1 / 2.4) - 0.055 }
        #expect(result.distance(to: stored.map(multiplied)) <= 1)
    }

    @Test func aCheckerboardKeepsItsLightOnlyInLinearLight() throws {
        let source = try picture(8, 8, .opaque) { x, y in Exact(repeating: Double((x + y) % 2)) }
        let target = ResizeTarget.width(2)
        #expect(try ResizeTransformer(target, kernel: .box)(source).pixel(0, 0) == [128, 128, 128, 255])
        let light = try ResizeTransformer(target, kernel: .box, usesLinearLight: true)(source)
        // Half the light of white is stored as 188.
        #expect(light.pixel(0, 0) == [188, 188, 188, 255])
    }

    @Test(arguments: kernels, allForms)
    func whatIsSymmetricStaysSymmetric(kernel: ResamplingKernel, form: PixelForm) throws {
        let half = try noise(8, 4, form)
        let colors = half.stored
        let source = try picture(
            15, 7, PixelForm(format: form.format, mode: form.mode == .opaque ? .opaque : .straight)
        ) {
            x, y in colors[min(y, 6 - y) * 8 + min(x, 14 - x)]
        }
        for new in [size(6, 3), size(31, 20), size(15, 4)] where kernel != .nearest && kernel != .box {
            let result = try ResizeTransformer(new, fit: .fill, kernel: kernel)(source)
            let mirrored = try FlipTransformer(horizontally: true, vertically: true)(result)
            #expect(result.distance(to: mirrored.exact) <= 1, "to \(new)")
        }
    }

    @Test(arguments: [
        (ResizeTarget.width(10), 10, 7), (.height(10), 15, 10), (.factor(0.5), 15, 10), (.factor(0.01), 1, 1),
        (.factor(2), 60, 40), (.width(60), 60, 40), (.height(1), 2, 1),
    ])
    func sidesThatFollowAreRounded(target: ResizeTarget, width: Int, height: Int) throws {
        let source = try noise(30, 20)
        #expect(try ResizeTransformer(target)(source).size == size(width, height))
        let shrunken = try ResizeTransformer(target, enlarges: false)(source)
        #expect(shrunken.size == size(min(width, 30), min(height, 20)))
    }

    @Test func coverKeepsWhatTheGravityNames() throws {
        let wide = try picture(9, 3, .opaque) { x, _ in Exact(repeating: Double(x) / 255) }
        let tall = try picture(3, 9, .opaque) { _, y in Exact(repeating: Double(y) / 255) }
        for (gravity, column, row) in [
            (Gravity.center, 3, 3), (.left, 0, 3), (.right, 6, 3), (.top, 3, 0), (.bottom, 3, 6),
            (.topLeft, 0, 0),
            (.bottomRight, 6, 6), (.topRight, 6, 0), (.bottomLeft, 0, 6),
        ] {
            let cover = ResizeTransformer(size(3, 3), fit: .cover, gravity: gravity)
            #expect(try cover(wide).pixel(0, 0)[0] == column, "\(gravity)")
            #expect(try cover(tall).pixel(0, 0)[0] == row, "\(gravity)")
        }
    }
}
