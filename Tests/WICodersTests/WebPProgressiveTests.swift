// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WIPixels
import WITestKit

/// Pictures that are shown while they arrive.
@Suite struct WebPProgressiveTests {
    /// All previews of a file that comes `step` bytes at a time.
    private func previews(
        _ file: WebPFile, step: Int, _ change: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> [PixelBuffer] {
        var options = DecodeOptions()
        change(&options)
        let decoder = WebPCoder().makeProgressiveDecoder(options)
        var previews: [PixelBuffer] = []
        for start in stride(from: 0, to: file.bytes.count, by: step) {
            let part = Data(file.bytes[start..<min(start + step, file.bytes.count)])
            try decoder.append(part.bytes, WorkContext())
            if let preview = try decoder.preview(WorkContext()) { previews.append(preview.pixels) }
        }
        return previews
    }

    private func animation(_ picture: PixelBuffer) throws -> WebPFile {
        let frame = try WebPFile.encoding(picture).frame(picture.size, x: 6, y: 8)
        let canvas = PixelSize(width: picture.width + 20, height: picture.height + 30)
        return WebPFile.animation(canvas, frame, frame)
    }

    @Test(arguments: [1, 7, 1000, 1_000_000]) func howeverTheBytesAreCutTheLastPreviewIsThePicture(
        _ step: Int
    ) throws {
        let photo = try ImageFactory.photoLike(160, 200)
        let files = [
            try WebPFile.encoding(photo), try WebPFile.encoding(photo, lossless: true),
            try WebPFile.encoding(try ImageFactory.transparency(160, 200)), try animation(photo),
        ]
        for file in files {
            let expected = try file.decoded().pixels
            let last = try #require(try previews(file, step: step).last)
            #expect(last.size == expected.size && last.allBytes == expected.allBytes)
        }
    }

    @Test func eachPreviewHasMoreOfTheRows() throws {
        let file = try WebPFile.encoding(try ImageFactory.noise(300, 400, seed: 1)) { $0.quality = 95 }
        let whole = try file.decoded().pixels.allBytes
        let previews = try previews(file, step: 3000)
        #expect(previews.count > 4)
        let rows = previews.map { preview in
            let (bytes, length) = (preview.allBytes, preview.bytesPerRow)
            let same = (0..<400).prefix {
                bytes[$0 * length] == whole[$0 * length] && bytes[$0 * length + 3] == 255
            }
            let isRest = bytes[(same.count * length)...].allSatisfy { $0 == 0 }
            #expect(isRest)
            return same.count
        }
        #expect(rows == rows.sorted() && Set(rows).count == rows.count && rows.last == 400)
    }

    @Test func previewsAreOfTheSizeAndFormatThatAreAskedFor() throws {
        let file = try WebPFile.encoding(try ImageFactory.photoLike(400, 300))
        for format in [PixelFormat.rgba8, .bgra8, .rgba16] {
            let change: (inout DecodeOptions) -> Void = {
                $0.thumbnailSize = PixelSize(width: 40, height: 40)
                $0.pixelFormat = format
                $0.premultiplies = true
            }
            let last = try #require(try previews(file, step: 2000, change).last)
            let expected = try file.decoded(change).pixels
            #expect(last.size == expected.size && last.format == format)
            #expect(last.difference(from: expected) <= (format == .rgba16 ? 257 : 1))
        }
    }

    @Test func nothingIsShownBeforeItIsKnownHowToTurnIt() throws {
        let picture = try ImageFactory.photoLike(60, 40)
        let chunks = try WebPFile.encoding(picture).picture
        let exif = WebPFile.chunk("EXIF", JPEGFile.exif(6))
        let behind = WebPFile.extended(picture.size, WebPFile.exifFlag, chunks, exif)
        #expect(throws: ImageError.self) { try previews(behind, step: 100) }
        #expect(try previews(behind, step: 100) { $0.appliesOrientation = false }.last?.size == picture.size)
        let before = WebPFile.extended(picture.size, WebPFile.exifFlag, exif, chunks)
        #expect(try previews(before, step: 100).last?.size == picture.size.transposed)
    }

    @Test func limitsHoldAndALongHeadIsReadInTheEnd() throws {
        let file = try WebPFile.encoding(try ImageFactory.photoLike(60, 40))
        #expect {
            try previews(file, step: 100) { $0.limits.pixels = 2399 }
        } throws: { ($0 as? ImageError)?.code == .dimensionLimit }
        let junk = [[UInt8]](repeating: WebPFile.chunk("junk", []), count: 200).flatMap { $0 }
        let long = WebPFile.extended(PixelSize(width: 60, height: 40), 0, junk, file.picture)
        // After a hundred readings of the head there is not one for each byte.
        #expect(try previews(long, step: 1).last?.allBytes == long.decoded().pixels.allBytes)
    }

    @Test(arguments: 0..<4) func changedBytesAreSurvived(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let photo = try ImageFactory.photoLike(64, 80)
        let file = seed % 2 == 0 ? try WebPFile.encoding(photo) : try animation(photo)
        for _ in 0..<60 {
            var changed = file
            for _ in 0..<4 {
                let place = Int.random(in: 12..<changed.bytes.count, using: &generator)
                changed.bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            do {
                _ = try previews(changed, step: 97) { $0.limits.pixels = 100_000 }
            } catch {
                #expect(error is ImageError)
            }
        }
    }
}
