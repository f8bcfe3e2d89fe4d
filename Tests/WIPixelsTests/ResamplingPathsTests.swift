// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WIPixels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The paths through the resampler agree: vectors with plain code, fixed point with real numbers, rows with
/// the whole.
@Suite struct ResamplingPathsTests {
    private static let filters = ResamplingFilter.allCases
    private static let sizes = [
        (61, 47, 20, 15), (640, 40, 64, 7), (9000, 5, 2400, 2), (20, 15, 61, 47), (100, 90, 99, 91),
        (7, 3, 2, 9),
        (1, 50, 1, 3), (50, 1, 9, 1),
    ]

    @Test(arguments: filters, allModes)
    func vectorsAndPlainCodeGiveTheSamePixels(filter: ResamplingFilter, mode: AlphaMode) throws {
        for format in allFormats {
            for (width, height, newWidth, newHeight) in Self.sizes {
                let source = try noise(width, height, format, mode)
                let size = PixelSize(width: newWidth, height: newHeight)
                let vector = try source.resized(to: size, filter: filter, WorkContext())
                let plain = try source.resized(to: size, filter: filter, scalar: true, WorkContext())
                #expect(same(vector, plain), "\(format) \(source.size) to \(size)")
            }
        }
    }

    private func weights(_ filter: ResamplingFilter, _ from: Int, _ to: Int) -> [[(Int, Double)]] {
        let ratio = Double(from) / Double(to)
        return (0..<to).map { index in
            let row = (0..<from).map { pixel in
                (pixel, value(filter, (Double(pixel) + 0.5 - (Double(index) + 0.5) * ratio) / max(ratio, 1)))
            }
            let sum = row.reduce(0) { $0 + $1.1 }
            return row.filter { $0.1 != 0 }.map { ($0.0, $0.1 / sum) }
        }
    }

    /// The definition, in double precision: weighted sums down the columns, then along the rows.
    private func reference(_ source: PixelBuffer, _ size: PixelSize, _ filter: ResamplingFilter) -> [Double] {
        let samples = source.samples.map(Double.init)
        let stride = source.width * 4
        let middle = weights(filter, source.height, size.height).map { row in
            (0..<stride).map { x in row.reduce(0) { $0 + $1.1 * samples[$1.0 * stride + x] } }
        }
        let across = weights(filter, source.width, size.width)
        return middle.flatMap { row in
            across.flatMap { pixel in
                (0..<4).map { channel in pixel.reduce(0) { $0 + $1.1 * row[$1.0 * 4 + channel] } }
            }
        }
    }

    private func value(_ filter: ResamplingFilter, _ signed: Double) -> Double {
        let x = abs(signed)
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
        switch filter {
        case .nearest, .box: return signed > -0.5 && signed <= 0.5 ? 1 : 0
        case .bilinear: return max(0, 1 - x)
        case .catmullRom:
            return x < 1
                ? 1.5 * x * x * x - 2.5 * x * x + 1
                : x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0
        case .mitchell:
            return x < 1
                ? (7 * x * x * x - 12 * x * x + 16.0 / 3) / 6
                : x < 2 ? (-7.0 / 3 * x * x * x + 12 * x * x - 20 * x + 32.0 / 3) / 6 : 0
        case .lanczos3: return x < 3 ? sinc(x) * sinc(x / 3) : 0
        }
    }

    @Test(arguments: filters.filter { $0 != .nearest }, [PixelFormat.rgba8, .rgba16])
    func resultsAreWithinOneOfTheDefinition(filter: ResamplingFilter, format: PixelFormat) throws {
        let most = Double(1 << format.bitsPerChannel - 1)
        for (width, height, newWidth, newHeight) in [(61, 47, 20, 15), (20, 15, 41, 33), (130, 9, 4, 5)] {
            let source = try noise(width, height, format)
            let size = PixelSize(width: newWidth, height: newHeight)
            let result = try source.resized(to: size, filter: filter, WorkContext()).samples
            let errors = zip(result, reference(source, size, filter)).map { sample, exact in
                abs(Double(sample) - min(max(exact, 0), most))
            }
            // Half a step is rounding; weights of 14 bits add a little.
            #expect((errors.max() ?? 0) <= 0.6, "\(source.size) to \(size)")
        }
    }

    @Test(arguments: [PixelFormat.rgba8, .rgba16]) func rowsOfMillionsOfPixelsAreAveragedRight(
        format: PixelFormat
    )
        throws
    {
        // Each hundredth of a row has a brightness of its own, under a fine stripe.
        let (width, most) = (1_100_000, 1 << format.bitsPerChannel - 1)
        let source = try picture(width, 1, format) { x, _, channel in
            channel == 3 ? most : (x * 100 / width) * most / 200 + (x % 2) * most / 4
        }
        for (size, columns) in [(PixelSize(width: 100, height: 1), 100), (PixelSize(width: 1, height: 1), 1)]
        {
            var resampler = try RowResampler(
                from: source.size, to: size, filter: .lanczos3, format: format, alphaMode: .opaque)
            source.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                resampler.push(base, bytesPerRow: source.bytesPerRow, count: 1)
            }
            let result = resampler.publish().samples
            for column in stride(from: 10, to: columns, by: 20) {
                let exact = Double(column) * Double(most) / 200 + Double(most) / 8
                #expect(abs(Double(result[4 * column]) - exact) <= Double(most) / 255 * 2, "column \(column)")
            }
            if columns == 1 {
                #expect(abs(Double(result[0]) - Double(most) * (0.2475 + 0.125)) <= Double(most) / 255)
            }
        }
    }

    @Test func whatAResamplerHoldsGoesWithItsTargetWhateverTheSource() {
        let small = PixelSize(width: 100, height: 100)
        func memory(_ width: Int, _ height: Int, _ size: PixelSize) -> ByteCount {
            RowResampler.memory(
                from: PixelSize(width: width, height: height), to: size, filter: .lanczos3, format: .rgba8)
        }
        #expect(memory(128_000_000, 1, PixelSize(width: 100, height: 1)) < .mebibytes(2))
        #expect(memory(1, 128_000_000, PixelSize(width: 1, height: 100)) < .mebibytes(2))
        #expect(memory(128_000_000, 1, PixelSize(width: 1, height: 1)) < .mebibytes(2))
        #expect(memory(2_000_000, 64, PixelSize(width: 40_000, height: 1)) < .mebibytes(64))
        #expect(memory(4000, 3000, small) < .mebibytes(2))
        #expect(memory(4000, 3000, PixelSize(width: 3000, height: 2000)) > .kibibytes(4000 * 16 * 5 / 1024))
        #expect(memory(4000, 0, small) == .unlimited)
    }

    @Test(arguments: [1, 3, 64]) func rowsGiveWhatTheWholeGives(rowsAtATime: Int) throws {
        let source = try noise(130, 77, .rgba8, .straight)
        let size = PixelSize(width: 40, height: 31)
        var resampler = try RowResampler(
            from: source.size, to: size, filter: .lanczos3, format: .rgba8, alphaMode: .straight)
        var finished: [Int] = []
        for row in stride(from: 0, to: source.height, by: rowsAtATime) {
            source.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                resampler.push(
                    base + row * source.bytesPerRow, bytesPerRow: source.bytesPerRow,
                    count: min(rowsAtATime, source.height - row))
            }
            finished.append(resampler.finishedRows)
        }
        #expect(finished == finished.sorted() && finished.last == 31)
        let whole = try source.resized(to: size, filter: .lanczos3, WorkContext())
        #expect(same(resampler.publish(), whole))
    }

    @Test func rowsThatNeverComeAreBlackAndOpaque() throws {
        let source = try noise(16, 16)
        var resampler = try RowResampler(
            from: source.size, to: PixelSize(width: 8, height: 8), filter: .box, format: .rgba8,
            alphaMode: .opaque)
        source.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            resampler.push(base, bytesPerRow: source.bytesPerRow, count: 9)
        }
        let finished = resampler.finishedRows
        #expect(finished == 4)
        let result = resampler.publish()
        #expect(result.relabelled(.straight).isOpaque())
        #expect(result.pixel(3, 7) == [0, 0, 0, 255])
    }

    @Test func rowsAfterTheLastAreIgnored() throws {
        let source = try noise(16, 16)
        var resampler = try RowResampler(
            from: PixelSize(width: 16, height: 8), to: PixelSize(width: 8, height: 4), filter: .box,
            format: .rgba8,
            alphaMode: .opaque)
        source.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            resampler.push(base, bytesPerRow: source.bytesPerRow, count: 16)
        }
        #expect(resampler.finishedRows == 4)
        #expect(resampler.publish().pixel(0, 3)[3] == 255)
    }
}
