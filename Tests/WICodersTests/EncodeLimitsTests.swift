// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WITestKit

/// What every coder makes of the encode options that are not about one format.
@Suite(.timeLimit(.minutes(5))) struct EncodeLimitsTests {
    private let coders = CodersManager([JPEGCoder(), PNGCoder(), WebPCoder(), GIFCoder(), PAMCoder()])

    private func encode(
        _ image: DecodedImage, _ format: ImageFormat, _ change: (inout EncodeOptions) -> Void
    ) throws -> Data {
        var options = EncodeOptions()
        change(&options)
        return try coders.encode(image, as: format, options, WorkContext())
    }

    private func decode(_ data: Data) throws -> DecodedImage {
        try coders.decode(data, DecodeOptions(), WorkContext())
    }

    private func photo(_ width: Int = 320, _ height: Int = 200) throws -> DecodedImage {
        DecodedImage(pixels: try ImageFactory.photoLike(width, height))
    }

    private func animation() throws -> DecodedImage {
        let pictures = try (0..<3).map {
            (pixels: try ImageFactory.photoLike(90, 60, seed: UInt64($0)), durationMilliseconds: 40.0)
        }
        let frames = try FrameList(pictures, loopCount: 2)
        return DecodedImage(pixels: pictures[0].pixels, loopCount: 2, frames: frames)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .gif, .pam])
    func aPictureIsMadeSmallerNeverLarger(_ format: ImageFormat) throws {
        let image = try photo()
        for (box, size) in [(100, 100, 100, 63), (0, 50, 80, 50), (1000, 1000, 320, 200), (1, 1, 1, 1)].map({
            (PixelSize(width: $0.0, height: $0.1), PixelSize(width: $0.2, height: $0.3))
        }) {
            #expect(try decode(try encode(image, format) { $0.maximumSize = box }).size == size)
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .webp]) func aLossyFileGetsTheBestQualityThatFits(
        _ format: ImageFormat
    ) throws {
        let image = try photo()
        let asked = try encode(image, format) { $0.quality = 90 }
        let limit = asked.count / 2
        let data = try encode(image, format) { ($0.quality, $0.maximumByteCount) = (90, ByteCount(limit)) }
        let fitting = try (1...90).filter { quality in
            try encode(image, format) { $0.quality = quality }.count <= limit
        }
        let best = try #require(fitting.max())
        #expect(data == (try encode(image, format) { $0.quality = best }))
        // Where all fits, the quality asked for is used.
        #expect(
            asked == (try encode(image, format) { ($0.quality, $0.maximumByteCount) = (90, .mebibytes(1)) }))
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .gif, .pam])
    func whatCannotBeShortEnoughIsAnError(_ format: ImageFormat) throws {
        let image = try photo()
        let error = #expect(throws: ImageError.self) {
            try encode(image, format) { $0.maximumByteCount = ByteCount(100) }
        }
        #expect(error?.code == .fileSizeLimit)
        #expect(error?.message.contains("100 bytes") == true)
    }

    @Test func aLosslessFileIsNotMadeLossy() throws {
        let image = try photo()
        let whole = try encode(image, .webp) { $0[WebPEncoding.self].isLossless = true }
        let error = #expect(throws: ImageError.self) {
            try encode(image, .webp) {
                $0[WebPEncoding.self].isLossless = true
                $0.maximumByteCount = ByteCount(whole.count - 1)
            }
        }
        #expect(error?.code == .fileSizeLimit)
    }

    @Test(arguments: [ImageFormat.webp, .gif]) func anAnimationIsLimitedAsAWhole(_ format: ImageFormat) throws
    {
        let image = try animation()
        let box = PixelSize(width: 30, height: 30)
        let small = try decode(try encode(image, format) { $0.maximumSize = box })
        #expect(small.frameCount == 3)
        #expect(small.loopCount == 2)
        #expect(small.frames?.canvasSize == PixelSize(width: 30, height: 20))

        let still = try decode(try encode(image, format) { $0.firstFrameOnly = true })
        #expect(still.frames == nil)
        #expect(still.size == image.size)
    }
}
