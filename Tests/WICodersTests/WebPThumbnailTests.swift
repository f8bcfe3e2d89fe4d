// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

/// Pictures that libwebp makes smaller, against those that were there whole first.
@Suite struct WebPThumbnailTests {
    private func thumbnail(_ file: WebPFile, _ width: Int, _ height: Int) throws -> PixelBuffer {
        try file.decoded {
            $0.thumbnailSize = PixelSize(width: width, height: height)
            $0.preservesAspectRatio = false
        }.pixels
    }

    @Test(arguments: [(300, 199), (150, 100), (75, 50), (40, 27), (9, 100), (3, 2), (1, 1)])
    func aThumbnailLooksLikeTheWholePictureResized(_ width: Int, _ height: Int) throws {
        for lossless in [false, true] {
            let file = try WebPFile.encoding(try ImageFactory.photoLike(301, 200), lossless: lossless)
            let expected = try file.decoded().pixels.resized(
                to: PixelSize(width: width, height: height), filter: .lanczos3, WorkContext())
            let pixels = try thumbnail(file, width, height)
            #expect(pixels.size == expected.size && pixels.alphaMode == .opaque && pixels.isOpaque())
            #expect(pixels.psnr(to: expected) > 36, "\(width)x\(height): \(pixels.psnr(to: expected))")
        }
    }

    /// Sharp edges on sides that no whole number divides.
    @Test(arguments: [(121, 91), (122, 92), (128, 96), (363, 273)])
    func edgesStayWhereTheyAre(_ width: Int, _ height: Int) throws {
        let picture = try ImageFactory.picture(width, height) { x, y, channel in
            channel == 3 ? 255 : (x / 16 + y / 16).isMultiple(of: 2) ? 220 : 40
        }
        let file = try WebPFile.encoding(picture) { $0.quality = 95 }
        let pixels = try thumbnail(file, 32, 24)
        let expected = try file.decoded().pixels.resized(to: pixels.size, filter: .lanczos3, WorkContext())
        #expect(pixels.psnr(to: expected) > 33, "\(pixels.psnr(to: expected))")
    }

    @Test func coloursOfTransparentPixelsAreNotSeenInAThumbnail() throws {
        // White, and green where nothing is to be seen.
        let picture = try ImageFactory.picture(320, 320, alphaMode: .straight) { x, y, channel in
            let isSeen = (x / 20 + y / 20).isMultiple(of: 2)
            return channel == 3 ? (isSeen ? 255 : 0) : isSeen || channel == 1 ? 255 : 0
        }
        for lossless in [false, true] {
            let file = try WebPFile.encoding(picture, lossless: lossless) {
                $0[WebPEncoding.self].keepsTransparentColors = true
                $0.quality = 100
            }
            let bytes = try thumbnail(file, 32, 32).allBytes
            for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] > 200 {
                #expect(bytes[pixel] > 235 && bytes[pixel + 2] > 235)
            }
        }
    }

    @Test func aBoxIsMeantForTheTurnedPicture() throws {
        let picture = try ImageFactory.photoLike(200, 100)
        let file = WebPFile.extended(
            picture.size, WebPFile.exifFlag, try WebPFile.encoding(picture).picture,
            WebPFile.chunk("EXIF", JPEGFile.exif(6)))
        let image = try file.decoded { $0.thumbnailSize = PixelSize(width: 30, height: 30) }
        #expect(image.size == PixelSize(width: 15, height: 30))
        #expect(image.metadata.storedSize == picture.size)
    }

    @Test func anAnimationsThumbnailIsThatOfItsCanvas() throws {
        let size = PixelSize(width: 100, height: 60)
        let canvas = PixelSize(width: 200, height: 160)
        let file = WebPFile.animation(
            canvas, try WebPFile.encoding(try ImageFactory.photoLike(100, 60)).frame(size, x: 50, y: 40))
        let expected = try file.decoded().pixels.resized(
            to: PixelSize(width: 20, height: 16), filter: .lanczos3, WorkContext())
        let image = try file.decoded { $0.thumbnailSize = PixelSize(width: 20, height: 20) }
        #expect(image.pixels.allBytes == expected.allBytes)
    }
}
