// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WITransformers

@Suite struct ResizeTransformerTests {
    private func picture(
        _ width: Int, _ height: Int, _ alphaMode: AlphaMode = .opaque, sample: (Int, Int, Int) -> UInt8
    ) throws -> PixelBuffer {
        var pixels = try MutablePixels(width: width, height: height, alphaMode: alphaMode)
        pixels.withMutableBytes { bytes in
            bytes.withUnsafeMutableBytes { bytes in
                for index in bytes.indices {
                    bytes[index] = sample(index / 4 % width, index / 4 / width, index % 4)
                }
            }
        }
        return pixels.publish()
    }

    private func bytes(_ pixels: PixelBuffer) -> [UInt8] {
        pixels.withBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    private func resized(
        _ pixels: PixelBuffer, _ width: Int, _ height: Int, _ fit: FitMode = .contain,
        _ kernel: ResamplingKernel = .lanczos3, enlarges: Bool = true
    ) throws -> PixelBuffer {
        let size = PixelSize(width: width, height: height)
        return try ResizeTransformer(size, fit: fit, kernel: kernel, enlarges: enlarges)
            .transform(pixels, WorkContext())
    }

    @Test func coverCutsBothEndsEvenly() throws {
        let source = try picture(6, 2) { x, _, channel in channel == 3 ? 255 : UInt8(x * 40) }
        let result = try resized(source, 2, 2, .cover, .box)
        #expect(bytes(result) == [80, 80, 80, 255, 120, 120, 120, 255, 80, 80, 80, 255, 120, 120, 120, 255])
    }

    @Test func cuttingWithoutScalingChangesNoPixel() throws {
        let source = try picture(5, 1) { x, _, channel in channel == 3 ? 255 : UInt8(x * 50) }
        let result = try resized(source, 2, 1, .cover, enlarges: false)
        #expect(bytes(result) == [50, 50, 50, 255, 100, 100, 100, 255])
    }

    @Test func fillStretches() throws {
        let source = try picture(4, 2) { x, _, channel in channel == 3 ? 255 : x < 2 ? 0 : 200 }
        let result = try resized(source, 2, 4, .fill, .box)
        #expect(result.size == PixelSize(width: 2, height: 4))
        #expect(bytes(result) == (0..<4).flatMap { _ in [0, 0, 0, 255, 200, 200, 200, 255] as [UInt8] })
    }

    @Test(arguments: ResamplingKernel.allCases, FitMode.allCases)
    func aConstantPictureStaysConstant(kernel: ResamplingKernel, fit: FitMode) throws {
        let pixel: [UInt8] = [200, 3, 77, 90]
        let source = try picture(37, 23, .straight) { _, _, channel in pixel[channel] }
        for (width, height) in [(1, 1), (300, 2), (19, 50)] {
            let result = try resized(source, width, height, fit, kernel)
            let expected = (0..<result.width * result.height).flatMap { _ in pixel }
            #expect(bytes(result) == expected && result.alphaMode == .straight)
        }
    }

    @Test(arguments: [(0, 10), (10, 0), (-5, 5), (.min, .min)])
    func aSideThatIsNotPositiveIsAnInvalidArgument(width: Int, height: Int) throws {
        let source = try picture(2, 2) { _, _, _ in 255 }
        for fit in FitMode.allCases {
            let error = #expect(throws: ImageError.self) { try resized(source, width, height, fit) }
            #expect(error?.code == .invalidArgument && error?.stage == .transform)
        }
    }

    @Test(arguments: [(Int.max, Int.max), (100_000, 100_000), (Int.max, 1), (65_536, 1)])
    func anEnormousSizeIsOverTheLimitAndTakesNoMemory(width: Int, height: Int) throws {
        let source = try picture(2, 2) { _, _, _ in 255 }
        let error = #expect(throws: ImageError.self) { try resized(source, width, height, .fill) }
        #expect(error?.code == .dimensionLimit)
        #expect(try resized(source, width, height, .fill, enlarges: false).size.width == 2)
    }

    @Test func cancelledWorkMakesNothing() throws {
        let work = WorkContext()
        work.flag.raise()
        let source = try picture(20, 20) { _, _, _ in 255 }
        let error = #expect(throws: ImageError.self) {
            try ResizeTransformer(PixelSize(width: 4, height: 4)).transform(source, work)
        }
        #expect(error?.code == .cancelled)
    }
}
