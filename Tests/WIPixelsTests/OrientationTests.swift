// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WIPixels

@Suite struct OrientationTests {
    /// Where the pixel for display at (x, y) lies in stored pixels of `size`, in the words of EXIF 2.32,
    /// 4.6.4.
    private func stored(_ x: Int, _ y: Int, _ orientation: Orientation, _ size: PixelSize) -> (Int, Int) {
        let right = size.width - 1
        let bottom = size.height - 1
        return switch orientation {
        case .up: (x, y)
        case .upMirrored: (right - x, y)
        case .down: (right - x, bottom - y)
        case .downMirrored: (x, bottom - y)
        case .leftMirrored: (y, x)
        case .right: (y, bottom - x)
        case .rightMirrored: (right - y, bottom - x)
        case .left: (right - y, x)
        }
    }

    @Test(arguments: Orientation.allCases, allFormats)
    func everyPixelComesFromWhereExifSaysItIs(orientation: Orientation, format: PixelFormat) throws {
        for (width, height) in [(1, 1), (3, 2), (7, 5), (33, 70), (64, 32), (1, 40), (40, 1)] {
            let source = try noise(width, height, format, .straight)
            let samples = source.samples
            let turned = try source.oriented(orientation)
            let display = orientation.displaySize(of: source.size)
            #expect(turned.size == display && turned.format == format && turned.alphaMode == .straight)
            let expected = try picture(display.width, display.height, format, .straight) { x, y, channel in
                let (column, row) = stored(x, y, orientation, source.size)
                return samples[(row * width + column) * 4 + channel]
            }
            #expect(turned.samples == expected.samples, "\(width)x\(height)")
        }
    }

    @Test func theFirstRowOfAPictureTurnedRightIsItsFirstColumnFromBelow() throws {
        let source = try picture(2, 3) { x, y, channel in channel == 3 ? 255 : 10 * y + x }
        let turned = try source.oriented(.right)
        #expect(turned.size == PixelSize(width: 3, height: 2))
        #expect((0..<3).map { turned.pixel($0, 0)[0] } == [20, 10, 0])
        #expect((0..<3).map { turned.pixel($0, 1)[0] } == [21, 11, 1])
    }

    @Test func anUprightPictureIsNotCopied() throws {
        let source = try noise(4, 4)
        let same = try source.oriented(.up)
        let addresses = [source, same].map { $0.withUnsafeBytes { $0.baseAddress } }
        #expect(addresses[0] == addresses[1])
    }
}
