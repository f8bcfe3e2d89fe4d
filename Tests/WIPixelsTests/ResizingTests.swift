// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WIPixels

@Suite struct ResizingTests {
    private static let filters = ResamplingFilter.allCases
    private static let sizes = [
        (1, 1, 5, 3), (5, 3, 1, 1), (64, 48, 17, 9), (17, 9, 64, 48), (100, 4, 7, 40), (33, 130, 32, 1),
        (9, 9, 10, 8),
        (700, 3, 2, 2), (3, 900, 3, 2),
    ]

    private func resize(
        _ source: PixelBuffer, _ width: Int, _ height: Int, _ filter: ResamplingFilter, scalar: Bool = false
    ) throws -> PixelBuffer {
        try source.resized(
            to: PixelSize(width: width, height: height), filter: filter, scalar: scalar, WorkContext())
    }

    @Test(arguments: filters, allFormats)
    func aConstantPictureStaysConstantAtEverySize(filter: ResamplingFilter, format: PixelFormat) throws {
        let most = 1 << format.bitsPerChannel - 1
        for mode in allModes {
            let alpha = mode == .opaque ? most : most / 3
            for (width, height, newWidth, newHeight) in Self.sizes {
                let pixel = [most / 5, 0, alpha - 1, alpha]
                let source = try picture(width, height, format, mode) { _, _, channel in pixel[channel] }
                let result = try resize(source, newWidth, newHeight, filter)
                #expect(result.size == PixelSize(width: newWidth, height: newHeight))
                #expect(result.format == format && result.alphaMode == mode)
                let expected = (0..<newWidth * newHeight).flatMap { _ in pixel }
                #expect(result.samples == expected, "\(mode) \(width)x\(height) to \(newWidth)x\(newHeight)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 77, 254])
    func aFaintConstantColourStaysWhatItWas(alpha: Int) throws {
        let source = try picture(40, 30, .rgba8, .straight) { _, _, channel in [200, 100, 3, alpha][channel] }
        let result = try resize(source, 13, 7, .lanczos3)
        #expect(result.samples == (0..<13 * 7).flatMap { _ in [200, 100, 3, alpha] })
    }

    @Test func boxIsTheMeanOfWhatItCovers() throws {
        let values = [[10, 20, 30, 50], [30, 41, 70, 90]]
        let source = try picture(4, 2) { x, y, channel in channel == 3 ? 255 : values[y][x] }
        let result = try resize(source, 2, 1, .box)
        // (10 + 20 + 30 + 41) / 4 = 25.25, (30 + 50 + 70 + 90) / 4 = 60.
        #expect(result.samples == [25, 25, 25, 255, 60, 60, 60, 255])
    }

    @Test func bilinearEnlargesBetweenTheCentres() throws {
        let source = try picture(2, 1) { x, _, channel in channel == 3 ? 255 : x * 100 }
        let result = try resize(source, 4, 1, .bilinear)
        #expect((0..<4).map { result.pixel($0, 0)[0] } == [0, 25, 75, 100])
    }

    @Test func nearestTakesThePixelUnderTheCentre() throws {
        let source = try picture(5, 1) { x, _, channel in channel == 3 ? 255 : x }
        #expect((0..<3).map { try? resize(source, 3, 1, .nearest).pixel($0, 0)[0] } == [0, 2, 4])
        let larger = try resize(source, 10, 1, .nearest)
        #expect((0..<10).map { larger.pixel($0, 0)[0] } == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    }

    @Test func theColourOfTransparentPixelsDoesNotBleed() throws {
        let source = try picture(8, 8, .rgba8, .straight) { x, _, channel in
            x < 4 ? [255, 0, 0, 255][channel] : [0, 255, 0, 0][channel]
        }
        for filter in Self.filters where filter != .nearest {
            let samples = try resize(source, 3, 3, filter).samples
            for pixel in stride(from: 0, to: samples.count, by: 4) {
                #expect(samples[pixel + 1] == 0, "\(filter): green came through")
                #expect(samples[pixel + 3] == 0 || samples[pixel] == 255, "\(filter): red was darkened")
            }
        }
    }

    @Test(arguments: filters) func opaqueStaysExactlyOpaque(filter: ResamplingFilter) throws {
        for (width, height, newWidth, newHeight) in Self.sizes {
            for mode in allModes {
                let source = try noise(width, height).relabelled(mode)
                #expect(try resize(source, newWidth, newHeight, filter).relabelled(.straight).isOpaque())
            }
        }
    }

    @Test(arguments: filters, allFormats)
    func colourNeverPassesAlphaInPremultipliedPictures(filter: ResamplingFilter, format: PixelFormat) throws {
        let source = try noise(40, 40, format, .premultiplied)
        let samples = try resize(source, 23, 61, filter).samples
        for pixel in stride(from: 0, to: samples.count, by: 4) {
            #expect(samples[pixel..<pixel + 3].allSatisfy { $0 <= samples[pixel + 3] })
        }
    }

    @Test func theExtremesHaveNoRoomProblems() throws {
        let tall = try picture(1, 100_000) { _, y, channel in channel == 3 ? 255 : y < 50_000 ? 100 : 200 }
        let wide = try picture(100_000, 1) { x, _, channel in channel == 3 ? 255 : x < 50_000 ? 100 : 200 }
        for filter in Self.filters where filter != .nearest {
            #expect(try resize(tall, 1, 1, filter).samples == [150, 150, 150, 255], "\(filter)")
            #expect(try resize(wide, 1, 1, filter).samples == [150, 150, 150, 255], "\(filter)")
        }
        #expect(try resize(wide, 1, 1000, .lanczos3).size == PixelSize(width: 1, height: 1000))
        let dot = try resize(try noise(1, 1), 3000, 2, .lanczos3)
        #expect(dot.pixel(2999, 1) == dot.pixel(0, 0))
    }

    @Test func theSameSizeIsTheSamePicture() throws {
        let source = try noise(20, 10)
        let same = try resize(source, 20, 10, .lanczos3)
        let addresses = [source, same].map { $0.withUnsafeBytes { $0.baseAddress } }
        #expect(addresses[0] == addresses[1])
    }

    @Test func sizesThatCannotBeAreErrors() throws {
        let source = try noise(4, 4)
        for (width, height) in [(0, 4), (4, 0), (-1, 4), (4, .min)] {
            #expect(throws: ImageError.self) { try resize(source, width, height, .box) }
        }
        let error = #expect(throws: ImageError.self) { try resize(source, .max, .max, .lanczos3) }
        #expect(error?.code == .dimensionLimit)
        let outside = SourceRegion(x: 2, y: 0, width: 3, height: 4)
        let region = #expect(throws: ImageError.self) {
            try source.resized(to: PixelSize(width: 2, height: 2), from: outside, filter: .box, WorkContext())
        }
        #expect(region?.code == .invalidArgument)
    }

    @Test func cancelledWorkThrowsInEveryPath() throws {
        let work = WorkContext()
        work.flag.raise()
        for (mode, filter) in [
            (AlphaMode.opaque, ResamplingFilter.box), (.straight, .box), (.opaque, .nearest),
        ] {
            let source = try noise(64, 64, .rgba8, mode)
            let error = #expect(throws: ImageError.self) {
                try source.resized(to: PixelSize(width: 8, height: 8), filter: filter, work)
            }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func aRegionIsWhatCroppingGivesForAKernelThatDoesNotReachBeyondIt() throws {
        let source = try noise(40, 30)
        let region = SourceRegion(x: 8, y: 4, width: 24, height: 20)
        let result = try source.resized(
            to: PixelSize(width: 12, height: 10), from: region, filter: .box, WorkContext())
        let samples = source.samples
        let cropped = try picture(24, 20) { x, y, channel in samples[((y + 4) * 40 + x + 8) * 4 + channel] }
        #expect(try result.samples == resize(cropped, 12, 10, .box).samples)
    }
}
