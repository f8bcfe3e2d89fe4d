// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIGIF
import WIPixels
import WITestKit

/// Pictures that are made smaller while their rows come, against those that were there whole first.
struct GIFThumbnailTests {
    private func file(
        _ canvas: PixelSize, _ frame: GIFFrame, cut: Int = 0, transparent: UInt8? = nil
    ) -> Data {
        var generator = SeededGenerator(seed: 4)
        var maker = GIFMaker(canvas.width, canvas.height, palette: GIFMaker.palette(16))
        let indices = (0..<frame.width * frame.height - cut).map { index in
            UInt8((index / 7 + Int(generator.next() % 3)) % 16)
        }
        maker.control(transparent: transparent)
        maker.frame(
            frame.left, frame.top, frame.width, frame.height, indices, interlaced: frame.isInterlaced,
            codeSize: 4)
        return maker.file
    }

    private func frame(_ left: Int, _ top: Int, _ width: Int, _ height: Int, interlaced: Bool = false)
        -> GIFFrame
    {
        var frame = GIFFrame()
        (frame.left, frame.top, frame.width, frame.height) = (left, top, width, height)
        frame.isInterlaced = interlaced
        return frame
    }

    private func difference(_ left: PixelBuffer, _ right: PixelBuffer) -> Int {
        guard left.size == right.size, left.alphaMode == right.alphaMode else { return .max }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                zip(left, right).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
            }
        }
    }

    static let boxes = [(20, 15), (1, 1), (97, 3), (150, 101), (7, 131)]

    @Test(arguments: boxes)
    func `a thumbnail is what the whole canvas gives when it is resized`(width: Int, height: Int) throws {
        let canvas = PixelSize(width: 151, height: 132)
        let frames = [
            frame(0, 0, 151, 132), frame(10, 20, 100, 60), frame(100, 100, 90, 90), frame(0, 0, 200, 200),
            frame(200, 0, 5, 5), frame(3, 4, 120, 111, interlaced: true),
        ]
        for frame in frames {
            for (cut, transparent) in [(0, nil), (0, 3), (frame.width * 3 + 2, nil)] as [(Int, UInt8?)] {
                let file = file(canvas, frame, cut: cut, transparent: transparent)
                let whole = try GIFKindsTests.decode(file)
                let size = PixelSize(width: width, height: height)
                let expected = try whole.pixels.resized(to: size, filter: .lanczos3, WorkContext())
                let reduced = try GIFKindsTests.decode(file) {
                    $0.thumbnailSize = size
                    $0.preservesAspectRatio = false
                }
                #expect(difference(reduced.pixels, expected) <= 2, "\(frame) \(cut)")
                #expect(reduced.metadata.isPartial == whole.metadata.isPartial)
                #expect(reduced.metadata.storedSize == canvas)
                let swapped = try GIFKindsTests.decode(file) {
                    $0.thumbnailSize = size
                    $0.preservesAspectRatio = false
                    $0.pixelFormat = .bgra8
                }
                let back = try swapped.pixels.converted(to: .rgba8, alphaMode: swapped.pixels.alphaMode)
                #expect(difference(back, reduced.pixels) == 0)
            }
        }
    }

    @Test func `the estimate of a thumbnail of a very large picture stays small`() {
        var info = ImageInfo(format: .gif, storedSize: PixelSize(width: 10_000, height: 10_000))
        var options = DecodeOptions()
        options.thumbnailSize = PixelSize(width: 256, height: 256)
        #expect(GIFCoder().estimate(info, options) < .mebibytes(25))
        #expect(GIFCoder().estimate(info, DecodeOptions()) > .mebibytes(380))
        info.isMultiPass = true
        #expect(GIFCoder().estimate(info, options) > .mebibytes(380))
    }
}
