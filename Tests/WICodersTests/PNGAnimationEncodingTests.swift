// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
import WIPNG
import WITestKit

/// Animations written as PNG, read again.
@Suite struct PNGAnimationEncodingTests {
    private func encode(
        _ pictures: [(pixels: PixelBuffer, durationMilliseconds: Double)], loopCount: Int = 0,
        _ change: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> Data {
        let frames = try FrameList(pictures, loopCount: loopCount)
        let image = DecodedImage(pixels: pictures[0].pixels, loopCount: loopCount, frames: frames)
        var options = EncodeOptions()
        change(&options)
        return try PNGCoder().encode(image, as: .png, options, WorkContext())
    }

    private func frames(_ file: Data) throws -> [PixelBuffer] {
        let image = try PNGCoder().decode(file, DecodeOptions(), WorkContext())
        let reader = try #require(try image.frames?.makeReader())
        return try (0..<image.frameCount).map { try reader.frame(at: $0, WorkContext()) }
    }

    /// A square that moves over a gradient, transparent around where `alpha` says so.
    private func moving(_ count: Int, alpha: Bool = false, gray: Bool = false) throws -> [PixelBuffer] {
        try (0..<count).map { index in
            try ImageFactory.picture(33, 21, alphaMode: alpha ? .straight : .opaque) { x, y, channel in
                let isSquare = (3 * index..<3 * index + 6).contains(x) && (4..<15).contains(y)
                if channel == 3 { return alpha && !isSquare ? UInt8(x * 7) : 255 }
                return isSquare ? 200 : gray ? UInt8(y * 9) : UInt8(x * 2 + y * 3 * channel)
            }
        }
    }

    @Test(arguments: [false, true], [false, true]) func everyPixelOfEveryFrameComesBack(
        _ alpha: Bool, _ gray: Bool
    ) throws {
        let pictures = try moving(6, alpha: alpha, gray: gray)
        for isInterlaced in [false, true] {
            let file = try encode(pictures.map { ($0, 40) }) {
                $0[PNGEncoding.self].isInterlaced = isInterlaced
            }
            #expect(file[25] == (gray ? 0 : 2) + (alpha ? 4 : 0))
            for (frame, picture) in zip(try frames(file), pictures) {
                #expect(frame.withUnsafeBytes { Array($0) } == picture.withUnsafeBytes { Array($0) })
            }
        }
    }

    @Test func timesAndLoopsComeBackWithoutDrift() throws {
        let pictures = try moving(9)
        let file = try encode(pictures.map { ($0, 100.0 / 3) }, loopCount: 7)
        let image = try PNGCoder().decode(file, DecodeOptions(), WorkContext())
        #expect(image.loopCount == 7)
        #expect(image.frames?.frames.map(\.durationMilliseconds) == [33, 34, 33, 33, 34, 33, 33, 34, 33])
        let long = try encode([(pictures[0], 1e9), (pictures[1], .nan)])
        let times = try PNGCoder().decode(long, DecodeOptions(), WorkContext()).frames?.frames
        #expect(times?.map(\.durationMilliseconds) == [65_535, 0])
    }

    @Test func whatStaysTheSameTakesNextToNothing() throws {
        let picture = try ImageFactory.photoLike(200, 150)
        let one = try PNGCoder().encode(
            DecodedImage(pixels: picture), as: .png, EncodeOptions(), WorkContext())
        let file = try encode([(picture, 10), (picture, 10), (picture, 10)])
        #expect(file.count < one.count + 300)
        #expect(try frames(file).count == 3)
    }

    /// Programs that know no animation show the first frame.
    @Test func theFirstFrameIsThePicture() throws {
        let pictures = try moving(3)
        let file = try encode(pictures.map { ($0, 40) })
        var options = DecodeOptions()
        options.firstFrameOnly = true
        let image = try PNGCoder().decode(file, options, WorkContext())
        #expect(image.pixels.withUnsafeBytes { Array($0) } == pictures[0].withUnsafeBytes { Array($0) })
    }

    @Test func framesOfAnotherSizeAreRefused() throws {
        struct Odd: FrameSource {
            let canvasSize = PixelSize(width: 4, height: 4)
            let frames = [FrameInfo(durationMilliseconds: 1), FrameInfo(durationMilliseconds: 1)]
            let loopCount = 0
            let memoryCost = ByteCount.zero
            func makeReader() throws -> any FrameReader { Reader() }
            final class Reader: FrameReader {
                func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer {
                    try ImageFactory.gradient(4 + index, 4)
                }
            }
        }
        let image = DecodedImage(pixels: try ImageFactory.gradient(4, 4), loopCount: 0, frames: Odd())
        let error = #expect(throws: ImageError.self) {
            try PNGCoder().encode(image, as: .png, EncodeOptions(), WorkContext())
        }
        #expect(error?.code == .invalidArgument)
    }
}
