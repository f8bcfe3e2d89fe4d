// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICoders
import WICore
import WITestKit

@Suite struct JPEGDecodingTests {
    @Test func aCutFileGivesTheRowsThatExist() throws {
        let file = try JPEGFile.photo(200, 200)
        let whole = try file.decoded()
        let cut = try file.prefix(file.bytes.count / 2).decoded()
        #expect(cut.metadata.isPartial)
        #expect(!cut.metadata.warnings.isEmpty)
        #expect(cut.size == whole.size)
        #expect(cut.pixels.rows(0..<48) == whole.pixels.rows(0..<48))
        #expect(cut.pixels.pixel(100, 199) == [128, 128, 128, 255])
        #expect(errorCode { try file.prefix(file.bytes.count / 2).decoded(strictly) } == .truncatedData)
        #expect(try file.decoded(strictly).pixels.allBytes == whole.pixels.allBytes)
    }

    @Test func aCutProgressiveFileGivesACoarserPicture() throws {
        let file = try JPEGFile.progressive(200, 200)
        let whole = try file.decoded()
        let cut = try file.prefix(file.bytes.count / 2).decoded()
        #expect(cut.metadata.isPartial)
        #expect(cut.pixels.meanDifference(whole.pixels) < 12)
        #expect(errorCode { try file.prefix(file.bytes.count / 2).decoded(strictly) } == .truncatedData)
    }

    @Test func nothingIsMissingWhereOnlyTheEndMarkerIs() throws {
        for file in [try JPEGFile.photo(60, 40), try JPEGFile.progressive(60, 40)] {
            let whole = try file.decoded()
            let cut = try file.prefix(file.bytes.count - 2).decoded(strictly)
            #expect(!cut.metadata.isPartial)
            #expect(cut.pixels.allBytes == whole.pixels.allBytes)
        }
    }

    @Test func aBadMarkerLeavesTheScansBeforeIt() throws {
        var file = try JPEGFile.progressive(120, 80)
        let whole = try file.decoded()
        let scans = file.offsets(of: 0xDA)
        let last = try #require(scans.last)
        file.bytes[last + 5] = 99
        let image = try file.decoded()
        #expect(image.metadata.isPartial)
        #expect(image.metadata.warnings.contains { $0.contains("component ID") })
        #expect(image.pixels.meanDifference(whole.pixels) < 3)
        #expect(errorCode { try file.decoded(strictly) } == .corruptData)
        file.bytes[try #require(scans.first) + 5] = 99
        #expect(errorCode { try file.decoded() } == .corruptData)
    }

    @Test func damagedDataAreMarked() throws {
        var file = try JPEGFile.photo(120, 80)
        let middle = file.bytes.count / 2
        file.bytes.replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD0])
        let image = try file.decoded()
        #expect(image.metadata.isPartial)
        #expect(errorCode { try file.decoded(strictly) } != nil)
    }

    /// Rows that all came from data that were not used up have a wrong bit among them.
    @Test func whatIsLeftOfTheDataAfterTheLastRowIsDamageToWhoIsStrict() throws {
        var file = try JPEGFile.photo(120, 80)
        #expect(errorCode { try file.decoded(strictly) } == nil)
        file.bytes.insert(contentsOf: [UInt8](repeating: 0x12, count: 40), at: file.bytes.count - 2)
        #expect(try file.decoded().metadata.isPartial == false)
        #expect(errorCode { try file.decoded(strictly) } == .corruptData)
    }

    /// The arithmetic decoder makes zeros of data that are not there, and does not say so.
    @Test func aCutLastScanOfAnArithmeticFileIsSeen() throws {
        let base64 = """
            /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO
            UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P
            T09PT09PT0//ygARCAAgACADASIAAhEBAxEB/8wABgAQARD/2gAMAwEAAhADEAAAAf8AE/wuvQVwOq5yM0jOF9LVxgMmeP/MAAQQ
            Bf/aAAgBAQABBQITMsvVCyH79DeC7R1FrPjNM1z/zAAEEQX/2gAIAQMBAT8BGo3TMkH/zAAEEQX/2gAIAQIBAT8BF9PURGI1wHtb
            wzoZX1JA/8wABBAF/9oACAEBAAY/ArD/zAAEEAX/2gAIAQEAAT8hylkTOfnYE0lBVOVYycuDqP/aAAwDAQACAAMAAAAQ5iU3/8wA
            BBEF/9oACAEDAQE/ELBa3W//zAAEEQX/2gAIAQIBAT8QRXvOiirukSKPS15s43RDwAKA/8wABBAF/9oACAEBAAE/ECojqMk8MGon
            uxmBc1FsbMYTtGN54WZmDFMKmLBBQsGO86xu/tder1/h/9k=
            """
        let bytes = try #require(Data(base64Encoded: base64, options: .ignoreUnknownCharacters))
        let file = JPEGFile(bytes: Array(bytes))
        #expect(try !file.decoded(strictly).metadata.isPartial)
        for missing in [3, 10, 40] {
            let cut = file.prefix(file.bytes.count - missing)
            #expect(try cut.decoded().metadata.isPartial)
            #expect(errorCode { try cut.decoded(strictly) } == .truncatedData)
        }
    }

    private let strictly: (inout DecodeOptions) -> Void = { $0[JPEGDecoding.self].strictness = .strict }

    @Test func whoRefusesPartialPicturesHasAKeyOfTheirOwn() {
        var settings = JPEGDecoding()
        #expect(settings.keyPart == nil)
        settings.strictness = .strict
        #expect(settings.keyPart != nil)
    }

    @Test func moreScansThanTheLimitAreRefused() throws {
        let file = try JPEGFile.progressive(64, 64)
        let scans = file.offsets(of: 0xDA).count
        #expect(scans > 3)
        #expect(errorCode { try file.decoded { $0.limits.scans = scans } } == nil)
        #expect(errorCode { try file.decoded { $0.limits.scans = scans - 1 } } == .scanLimit)
    }

    @Test func aDecodeThatNobodyWantsStops() throws {
        let flag = CancellationFlag()
        flag.raise()
        for file in [try JPEGFile.photo(64, 64), try JPEGFile.progressive(64, 64)] {
            let code = errorCode {
                try JPEGCoder().decode(file.data, DecodeOptions(), WorkContext(flag: flag))
            }
            #expect(code == .cancelled)
        }
    }

    @Test func otherPixelFormatsHoldTheSameColours() throws {
        let file = try JPEGFile.photo(40, 30)
        let plain = try file.decoded().pixels
        let swapped = try file.decoded { $0.pixelFormat = .bgra8 }.pixels
        #expect(swapped.format == .bgra8)
        #expect(swapped.alphaMode == .opaque)
        for (x, y) in [(0, 0), (39, 29), (17, 11)] {
            let (rgba, bgra) = (plain.pixel(x, y), swapped.pixel(x, y))
            #expect(rgba == [bgra[2], bgra[1], bgra[0], bgra[3]])
        }
        let wide = try file.decoded { $0.pixelFormat = .rgba16 }.pixels
        #expect(wide.format == .rgba16)
        let samples = wide.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        #expect(samples == plain.allBytes.map { UInt16($0) * 257 })
    }

    @Test func repeatedChromaDiffersFromInterpolatedChroma() throws {
        let file = try JPEGFile.photo(64, 64)
        let repeated = try file.decoded { $0[JPEGDecoding.self].interpolatesChroma = false }
        let difference = try repeated.pixels.meanDifference(file.decoded().pixels)
        #expect(difference > 0)
        #expect(difference < 8)
    }

    @Test func bytesBehindThePictureDoNotMatter() throws {
        let file = try JPEGFile.photo(40, 30)
        let longer = JPEGFile(bytes: file.bytes + file.bytes)
        let image = try longer.decoded()
        #expect(!image.metadata.isPartial)
        #expect(try image.pixels.allBytes == file.decoded().pixels.allBytes)
    }

    @Test(
        .enabled(if: Corpus.isPresent, "WEBIMAGE_CORPUS names no corpus"), arguments: JPEGDecodingTests.exact)
    func pixelsAreThoseOfTheLibrary(_ entry: CorpusEntry) throws {
        let corpus = try #require(Corpus.shared)
        let file = JPEGFile(bytes: Array(try corpus.data(at: entry.path)))
        do {
            let image = try file.decoded()
            #expect(image.pixels.withUnsafeBytes { SHA256.hex($0) } == entry.libjpegTurboSHA256)
        } catch let error as ImageError where entry.expect == .partial {
            // Frames without a known colour space, and such without one byte of picture data.
            #expect([.unsupportedFeature, .truncatedData].contains(error.code))
        }
    }

    private static let exact = Corpus.entries {
        $0.format == "jpeg" && $0.expect == .partial && $0.libjpegTurboSHA256 != nil
    }
}
