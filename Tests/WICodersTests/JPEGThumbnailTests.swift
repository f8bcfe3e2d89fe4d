// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

@Suite struct JPEGThumbnailTests {
    /// Red, green, blue and yellow in the corners: top left, top right, bottom left, bottom right.
    private static let corners = [[220, 20, 20], [20, 220, 20], [20, 20, 220], [220, 220, 20]]

    private func quarters(_ width: Int, _ height: Int) throws -> JPEGFile {
        let pixels = try ImageFactory.picture(width, height) { x, y, channel in
            let corner = (2 * x < width ? 0 : 1) + (2 * y < height ? 0 : 2)
            return channel == 3 ? 255 : UInt8(Self.corners[corner][channel])
        }
        return try JPEGFile.encoding(pixels) { $0.quality = 95 }
    }

    /// The stored corner that is seen in each corner of the display, by EXIF 2.32's table of orientations.
    private static let seen: [Orientation: [Int]] = [
        .up: [0, 1, 2, 3], .upMirrored: [1, 0, 3, 2], .down: [3, 2, 1, 0], .downMirrored: [2, 3, 0, 1],
        .leftMirrored: [0, 2, 1, 3], .right: [2, 0, 3, 1], .rightMirrored: [3, 1, 2, 0], .left: [1, 3, 0, 2],
    ]

    /// The same, so large that it is resampled while its rows come; made of two rows, copied.
    private func largeQuarters(_ width: Int, _ height: Int) throws -> JPEGFile {
        func row(_ left: Int, _ right: Int) -> [UInt8] {
            (0..<width * 4).map { index in
                let corner = index < width * 2 ? left : right
                return index % 4 == 3 ? 255 : UInt8(Self.corners[corner][index % 4])
            }
        }
        let halves = [row(0, 1), row(2, 3)]
        var pixels = try MutablePixels(width: width, height: height, alphaMode: .opaque)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes[y * width * 4..<(y + 1) * width * 4])
                part.copyBytes(from: halves[2 * y < height ? 0 : 1])
            }
        }
        return try JPEGFile.encoding(pixels.publish()) { $0.quality = 95 }
    }

    /// Blocks of the last columns and rows reach beyond the picture, and what is seen must not be stretched by that.
    @Test(arguments: [(129, 129, 9), (257, 193, 17), (481, 361, 32), (961, 721, 64), (2001, 1501, 128)])
    func aThumbnailLooksLikeTheWholePictureResized(_ width: Int, _ height: Int, _ side: Int) throws {
        let picture = try ImageFactory.picture(width, height) { x, y, channel in
            let wave = (x * 8 / side) % 32 < 16 ? 60 : 0
            return channel == 3
                ? 255 : UInt8(min(255, channel == 0 ? x * 190 / width + wave : y * 250 / height))
        }
        let file = try JPEGFile.encoding(picture) { $0.quality = 95 }
        let thumbnail = try file.decoded { $0.thumbnailSize = PixelSize(width: side, height: side) }.pixels
        let expected = try file.decoded().pixels.resized(
            to: thumbnail.size, filter: .lanczos3, WorkContext())
        #expect(thumbnail.psnr(to: expected) > 38, "\(thumbnail.psnr(to: expected))")
    }

    @Test func largePicturesAreReducedWhileTheirRowsCome() throws {
        let file = try largeQuarters(2600, 1800).insertingEXIF(6)
        let box = PixelSize(width: 1400, height: 2000)
        let image = try file.decoded { $0.thumbnailSize = box }
        #expect(image.size == PixelSize(width: 1800, height: 2600).fitting(box))
        #expect(image.pixels.alphaMode == .opaque)
        try expectCorners(image.pixels, .right)
        // The lower half of what is stored is missing, so the left half of what is shown.
        let cut = try file.prefix(file.bytes.count / 3).decoded { $0.thumbnailSize = box }
        #expect(cut.metadata.isPartial)
        #expect(cut.pixels.pixel(10, 900) == [128, 128, 128, 255])
        #expect(cut.pixels.pixel(1370, 10).first ?? 0 > 200)
        let flag = CancellationFlag()
        flag.raise()
        var options = DecodeOptions()
        options.thumbnailSize = box
        #expect(
            errorCode { try JPEGCoder().decode(file.data, options, WorkContext(flag: flag)) } == .cancelled)
    }

    private func expectCorners(_ pixels: PixelBuffer, _ orientation: Orientation) throws {
        let places = [
            (2, 2), (pixels.width - 3, 2), (2, pixels.height - 3), (pixels.width - 3, pixels.height - 3),
        ]
        let corners = try #require(Self.seen[orientation])
        for (place, corner) in zip(places, corners) {
            let found = pixels.pixel(place.0, place.1)
            let distance = zip(found, Self.corners[corner]).map { abs($0 - $1) }.max() ?? 255
            #expect(distance < 24, "\(found) at \(place), orientation \(orientation)")
        }
    }

    @Test(arguments: Orientation.allCases) func picturesAndThumbnailsAreUpright(_ orientation: Orientation)
        throws
    {
        let file = try quarters(320, 160).insertingEXIF(orientation.rawValue, bigEndian: orientation == .left)
        let full = try file.decoded()
        #expect(full.size == orientation.displaySize(of: PixelSize(width: 320, height: 160)))
        try expectCorners(full.pixels, orientation)
        // The box is narrow, so that it matters whether it is laid around the stored or the displayed picture.
        let thumbnail = try file.decoded { $0.thumbnailSize = PixelSize(width: 40, height: 300) }
        #expect(thumbnail.size == full.size.fitting(PixelSize(width: 40, height: 300)))
        #expect(thumbnail.size.width == 40)
        try expectCorners(thumbnail.pixels, orientation)
        #expect(thumbnail.metadata.orientation == .up)
        #expect(thumbnail.metadata.storedSize == PixelSize(width: 320, height: 160))
    }

    @Test func thePictureStaysAsStoredWhereThatIsWanted() throws {
        let image = try quarters(320, 160).insertingEXIF(6).decoded {
            $0.appliesOrientation = false
            $0.thumbnailSize = PixelSize(width: 160, height: 160)
        }
        #expect(image.size == PixelSize(width: 160, height: 80))
        #expect(image.metadata.orientation == .right)
        try expectCorners(image.pixels, .up)
    }

    @Test func aThumbnailIsNeverEnlarged() throws {
        let image = try quarters(32, 16).decoded { $0.thumbnailSize = PixelSize(width: 100, height: 100) }
        #expect(image.size == PixelSize(width: 32, height: 16))
    }

    @Test func aStretchedThumbnailHasExactlyItsBox() throws {
        let image = try quarters(320, 160).insertingEXIF(8).decoded {
            $0.thumbnailSize = PixelSize(width: 30, height: 20)
            $0.preservesAspectRatio = false
        }
        #expect(image.size == PixelSize(width: 30, height: 20))
        try expectCorners(image.pixels, .left)
    }

    @Test func theByteLimitOfADecodeHolds() throws {
        let image = try quarters(320, 160).decoded { $0.scaleDownLimit = ByteCount(10_000) }
        #expect(image.pixels.byteCount <= ByteCount(10_000))
        #expect(image.pixels.byteCount >= ByteCount(9_000))
        try expectCorners(image.pixels, .up)
    }

    @Test(arguments: [7, 20, 40, 61, 80, 100, 159, 161, 239, 319])
    func aThumbnailLooksLikeTheReducedPicture(_ side: Int) throws {
        let file = try JPEGFile.photo(320, 240)
        let full = try file.decoded().pixels
        let thumbnail = try file.decoded { $0.thumbnailSize = PixelSize(width: side, height: side) }.pixels
        #expect(thumbnail.size == full.size.fitting(PixelSize(width: side, height: side)))
        #expect(thumbnail.meanDifference(try averaged(full, thumbnail.size)) < 4)
    }

    /// Each pixel the mean of the area that it covers.
    private func averaged(_ pixels: PixelBuffer, _ size: PixelSize) throws -> PixelBuffer {
        let bytes = pixels.allBytes
        return try ImageFactory.picture(size.width, size.height) { x, y, channel in
            let left = x * pixels.width / size.width
            let right = max(left + 1, (x + 1) * pixels.width / size.width)
            let top = y * pixels.height / size.height
            let bottom = max(top + 1, (y + 1) * pixels.height / size.height)
            var sum = 0
            for row in top..<bottom {
                for column in left..<right {
                    sum += Int(bytes[row * pixels.bytesPerRow + column * 4 + channel])
                }
            }
            return UInt8(sum / ((right - left) * (bottom - top)))
        }
    }
}
