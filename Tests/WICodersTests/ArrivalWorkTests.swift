// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore
@testable import WIGIF
@testable import WIJPEG
@testable import WIPNG
@testable import WIPixels
import WITestKit

/// That work for a file that arrives is linear in its bytes, by counting.
struct ArrivalWorkTests {
    @Test func `a head that never ends is read a hundred times and then ever more seldom`() {
        var readings = HeadReadings()
        var count = 0
        for byteCount in 1...1_000_000 where readings.isDue(byteCount) {
            count += 1
            readings.note(byteCount, needed: byteCount + 1)
        }
        // After the hundredth, each has a quarter more bytes.
        #expect(count < 150)
    }

    @Test(arguments: [false, true])
    func `a frame that comes byte by byte is expanded once, to the same pixels`(_ interlaced: Bool) throws {
        var generator = SeededGenerator(seed: 5)
        let (width, height) = (37, 50)
        let indices = (0..<width * height).map { _ in UInt8(generator.next() % 4) }
        var maker = GIFMaker(width, height)
        maker.frame(0, 0, width, height, indices, interlaced: interlaced, blockSize: 17)
        let file = maker.file
        var head = GIFHead()
        _ = try head.read(file.bytes)
        let frame = try #require(head.frames.first)
        let expander = try GIFExpander()
        var pixels: [UInt8] = []
        var ending = try Data(file.prefix(frame.data + 1)).bytes.withUnsafeBytes { bytes throws(ImageError) in
            try expander.begin(frame, ofArriving: bytes)
        }
        var isInOrder = true
        for count in frame.data + 2...file.count {
            // A buffer of its own each time: nothing may point into the last one.
            let part = Data(file.prefix(count))
            try part.bytes.withUnsafeBytes { bytes throws(ImageError) in
                try expander.goOn(frame, of: bytes, &ending, visibleRows: height, WorkContext()) {
                    isInOrder = isInOrder && $0 == pixels.count && $2 % width == 0
                    pixels += UnsafeBufferPointer(start: $1, count: $2)
                }
            }
        }
        #expect(isInOrder && pixels == indices && ending.pixels == indices.count && !ending.isIncomplete)
    }

    @Test func `heads that are read on say what heads say that are read at once`() throws {
        let gif = try #require(Self.animatedGIF)
        for data in [gif, PNGAnimationTests.sample.data] {
            var (gifHead, pngHead) = (GIFHead(), PNGHead())
            var (gifReadings, pngReadings) = (0, 0)
            for count in 1...data.count {
                let bytes = Data(data.prefix(count))
                if data == gif, count >= gifHead.wanted {
                    gifReadings += 1
                    _ = try gifHead.read(bytes.bytes)
                } else if data != gif, count >= pngHead.needed {
                    pngReadings += 1
                    _ = try pngHead.read(bytes.bytes)
                }
            }
            if data == gif {
                var whole = GIFHead()
                _ = try whole.read(data.bytes)
                #expect(whole.frames == gifHead.frames && whole.info == gifHead.info && whole.hasTrailer)
                // Two for each block, and one for each sub-block.
                #expect(gifReadings < 40)
            } else {
                var whole = PNGHead()
                _ = try whole.read(data.bytes)
                #expect(whole.animation.frames == pngHead.animation.frames && pngHead.hasEnd)
                #expect(try whole.info(data.bytes) == pngHead.info(data.bytes))
                #expect(whole.idatCount == pngHead.idatCount && whole.idatBytes == pngHead.idatBytes)
                // Two for each chunk.
                #expect(pngReadings <= 2 * PNGAnimationTests.sample.chunks.count)
            }
        }
    }

    private static let animatedGIF: Data? = {
        var maker = GIFMaker(8, 8)
        maker.loop(3)
        for index in 0..<3 {
            maker.control(delay: index)
            maker.frame(0, 0, 8, 8, [UInt8](repeating: UInt8(index), count: 64))
        }
        return maker.file
    }()

    @Test func `of many scans, twenty are drawn and the last one`() throws {
        let file = try JPEGFile.progressive(64, 48)
        let scans = file.offsets(of: 0xDA)
        // The first scan again and again: each gives the same coarse picture.
        let first = Array(file.bytes[scans[0]..<file.bytes[scans[0]...].firstMarker(after: scans[0] + 2)])
        var bytes = file.bytes
        let repeated = (0..<60).flatMap { _ in first }
        bytes.insert(contentsOf: repeated, at: scans[0] + first.count)
        let data = Data(bytes)
        let drip = Dripping(data, with: JPEGCoder(), step: 8)
        #expect(drip.failure == nil)
        #expect(drip.previews.count == JPEGStream.mostDrawnScans + 1)
        let whole = try JPEGCoder().decode(data, DecodeOptions(), WorkContext()).pixels
        #expect(drip.previews.last?.allBytes == whole.allBytes)
        var options = DecodeOptions()
        options.limits.scans = 30
        #expect(Dripping(data, with: JPEGCoder(), options, step: 64).failureCode == .scanLimit)
    }

    @Test func `each scan of a progressive file is shown once, and finer than the one before`() throws {
        let file = try JPEGFile.progressive(200, 150)
        let whole = try JPEGCoder().decode(file.data, DecodeOptions(), WorkContext()).pixels
        let previews = Dripping(file.data, with: JPEGCoder(), step: 1).previews
        #expect(previews.count == file.offsets(of: 0xDA).count)
        let errors = previews.map { preview in
            zip(preview.allBytes, whole.allBytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        }
        #expect(errors.last == 0 && errors[0] > errors[errors.count / 2])
        #expect(previews.allSatisfy { $0.alphaMode == .opaque })
    }
}

extension ArraySlice<UInt8> {
    /// Where the first marker begins that is no byte of picture data and no restart.
    fileprivate func firstMarker(after start: Int) -> Int {
        var place = start
        while place + 1 < endIndex {
            if self[place] == 0xFF, self[place + 1] != 0, !(0xD0...0xD7).contains(self[place + 1]) {
                return place
            }
            place += 1
        }
        return endIndex
    }
}
