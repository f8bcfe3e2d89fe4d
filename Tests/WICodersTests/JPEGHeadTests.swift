// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WITestKit

@Suite struct JPEGHeadTests {
    @Test func askedAgainWithWhatItNeedsTheProbeArrives() throws {
        let file = try JPEGFile.photo(64, 48).insertingEXIF(6).inserting(0xE2, Array("other".utf8))
        var count = 0
        var asked = 0
        while true {
            asked += 1
            switch try file.prefix(count).probed(isComplete: false) {
            case .needs(let wanted):
                #expect(wanted.bytes > count)
                #expect(wanted.bytes <= file.bytes.count)
                count = wanted.bytes
            case .info(let info):
                #expect(info.storedSize == PixelSize(width: 64, height: 48))
                #expect(info.orientation == .right)
                #expect(info.displaySize == PixelSize(width: 48, height: 64))
                #expect(!info.hasAlpha)
                #expect(asked < 40)
                return
            }
        }
    }

    @Test func everyPrefixOfAHeadNeedsMoreOrIsCut() throws {
        let file = try JPEGFile.photo(16, 16)
        let end = try #require(file.offsets(of: 0xDA).first) + 5
        for count in 2..<end {
            guard case .needs = try file.prefix(count).probed(isComplete: false) else {
                Issue.record("\(count) bytes are no whole head.")
                return
            }
            #expect(errorCode { try file.prefix(count).probed() } == .truncatedData)
            #expect(errorCode { try file.prefix(count).decoded() } == .truncatedData)
        }
        #expect(errorCode { try file.prefix(0).probed() } == .emptyData)
    }

    @Test func strayAndFillBytesBetweenSegmentsAreSkipped() throws {
        let file = try JPEGFile.photo(16, 16)
        let plain = try file.decoded()
        let strayed = JPEGFile(
            bytes: file.bytes[..<2] + [1, 2, 3, 0xFF, 0, 9, 0xFF, 0xFF, 0xFF] + file.bytes[2...])
        #expect(try strayed.info()?.storedSize == PixelSize(width: 16, height: 16))
        let image = try strayed.decoded()
        #expect(image.pixels.allBytes == plain.pixels.allBytes)
        #expect(!image.metadata.isPartial)
        #expect(!image.metadata.warnings.isEmpty)
    }

    @Test func anApplicationSegmentShorterThanItsLengthIsEmpty() throws {
        let file = try JPEGFile.photo(16, 16)
        let odd = JPEGFile(bytes: file.bytes[..<2] + [0xFF, 0xE5, 0, 1] + file.bytes[2...])
        #expect(try odd.info()?.storedSize == PixelSize(width: 16, height: 16))
        #expect(try odd.decoded().pixels.allBytes == file.decoded().pixels.allBytes)
    }

    @Test(arguments: [(0xC3, 8, 3), (0xC5, 8, 3), (0xCB, 8, 1), (0xC1, 12, 3), (0xC0, 8, 2), (0xC0, 8, 7)])
    func framesThatAreNotSupportedAreRefusedFromTheHead(_ kind: Int, _ precision: Int, _ components: Int)
        throws
    {
        var file = try JPEGFile.photo(16, 16)
        let frame = try #require(file.offsets(of: 0xC0).first)
        file.bytes[frame + 1] = UInt8(kind)
        file.bytes[frame + 4] = UInt8(precision)
        file.bytes[frame + 9] = UInt8(components)
        #expect(errorCode { try file.probed(isComplete: false) } == .unsupportedFeature)
        #expect(errorCode { try file.decoded() } == .unsupportedFeature)
    }

    @Test func aHeightThatFollowsTheScanIsNotSupported() throws {
        var file = try JPEGFile.photo(16, 16)
        let frame = try #require(file.offsets(of: 0xC0).first)
        file.bytes.replaceSubrange(frame + 5..<frame + 7, with: [0, 0])
        #expect(errorCode { try file.decoded() } == .unsupportedFeature)
        file.bytes.replaceSubrange(frame + 5..<frame + 9, with: [0, 1, 0, 0])
        #expect(errorCode { try file.decoded() } == .corruptData)
    }

    @Test func framesOfSeveralScansAreToldApart() throws {
        #expect(try JPEGFile.photo(16, 16).info()?.isMultiPass == false)
        #expect(try JPEGFile.progressive(16, 16).info()?.isMultiPass == true)
    }

    @Test func theFirstEXIFBlockCounts() throws {
        let file = try JPEGFile.photo(16, 8).insertingEXIF(3).insertingEXIF(6, bigEndian: true)
        #expect(try file.info()?.orientation == .right)
    }

    @Test(arguments: [0, 9, 255, 65_535]) func anIllegalOrientationIsNone(_ value: Int) throws {
        #expect(try JPEGFile.photo(16, 8).insertingEXIF(value).info()?.orientation == .up)
    }

    @Test func largerFramesThanTheLimitAreRefusedBeforeMemoryIsTaken() throws {
        var file = try JPEGFile.photo(16, 16)
        let frame = try #require(file.offsets(of: 0xC0).first)
        file.bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        #expect(errorCode { try file.decoded() } == .dimensionLimit)
        let small = try JPEGFile.photo(16, 16)
        #expect(errorCode { try small.decoded { $0.limits.pixels = 255 } } == .dimensionLimit)
        #expect(errorCode { try small.decoded { $0.limits.pixels = 256 } } == nil)
        #expect(errorCode { try small.decoded { $0.limits.side = 15 } } == .dimensionLimit)
        #expect(errorCode { try small.decoded { $0.limits.side = 16 } } == nil)
    }

    @Test func estimatesGrowWithWhatADecodeHolds() {
        func estimate(_ isMultiPass: Bool, _ change: (inout DecodeOptions) -> Void = { _ in }) -> Int {
            let size = PixelSize(width: 4000, height: 3000)
            let info = ImageInfo(
                format: .jpeg, storedSize: size, orientation: .right, isMultiPass: isMultiPass)
            var options = DecodeOptions()
            options.appliesOrientation = false
            change(&options)
            return JPEGCoder().estimate(info, options).bytes
        }
        #expect(estimate(false) >= 48_000_000)
        #expect(estimate(false) < 52_000_000)
        #expect(estimate(true) >= estimate(false) + 72_000_000)
        #expect(estimate(false) { $0.appliesOrientation = true } >= estimate(false) + 48_000_000)
        #expect(estimate(false) { $0.pixelFormat = .rgba16 } >= estimate(false) + 96_000_000)
        #expect(estimate(false) { $0.thumbnailSize = PixelSize(width: 256, height: 256) } < 6_000_000)
    }
}
