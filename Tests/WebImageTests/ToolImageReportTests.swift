// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WebImage
import WITestKit

@testable import WebImageTool

@Suite struct ToolImageReportTests {
    @Test func aReadablePictureHasEveryFieldAndNoOther() {
        let report = ImageReport(path: "a/b.toy", data: ToyCoder.file(), coder: ToyCoder())
        #expect(
            report.json.text == """
                {
                  "path": "a/b.toy",
                  "format": "toy",
                  "width": 4,
                  "height": 3,
                  "displayWidth": 4,
                  "displayHeight": 3,
                  "orientation": 1,
                  "frameCount": 1,
                  "loopCount": 1,
                  "frameDurationsMs": [],
                  "hasAlpha": false,
                  "hasICC": false
                }
                """)
        #expect(report.line == "a/b.toy: toy 4x3, 8 bits")
    }

    @Test func moreFramesThanTheLimitAreNoted() throws {
        let most = DecodeLimits().frames
        for (count, hasNote) in [(most, false), (most + 1, true)] {
            let report = ImageReport(path: "x", data: ToyCoder.file(), coder: ToyEncoder(frameCount: count))
            #expect(report.line?.hasSuffix("over the default limit of 10000 frames") == hasNote)
        }
    }

    @Test func aRecognisedFormatWithoutCoderIsNamedBesideTheError() {
        let report = ImageReport(path: "x", data: Data("GIF89a".utf8), coder: CodersManager([ToyCoder()]))
        #expect(report.format == .gif)
        #expect(
            report.json.text == """
                {
                  "path": "x",
                  "format": "gif",
                  "error": {
                    "code": "unsupportedFormat",
                    "message": "The bytes are gif, which no registered coder decodes."
                  }
                }
                """)
        #expect(report.line == nil)
    }

    @Test func anUnrecognisedInputHasNoFormat() {
        let report = ImageReport(path: "x", data: Data("<html>".utf8), coder: CodersManager([ToyCoder()]))
        #expect(report.format == nil)
        guard case .object(let fields) = report.json else { return #expect(Bool(false), "no object") }
        #expect(fields.map(\.name) == ["path", "error"])
    }

    @Test func aFileThatEndsInItsHeaderIsTruncated() {
        let report = ImageReport(path: "x", data: Data("TOY1".utf8), coder: ToyCoder())
        guard case .failure(let error) = report.result else { return #expect(Bool(false), "no error") }
        #expect(error.code == .truncatedData)
    }
}

@Suite struct ToolConversionTests {
    @Test func containDecodesIntoTheBoxAndNeverEnlarges() throws {
        for (box, expected) in [(2, PixelSize(width: 2, height: 2)), (99, PixelSize(width: 4, height: 3))] {
            let edits = Edits(thumbnail: PixelSize(width: box, height: 0), transformer: nil)
            let conversion = Conversion(format: ToyEncoder.format, edits: edits, options: EncodeOptions())
            #expect(try conversion.run(ToyCoder.file(), with: ToyEncoder()).size == expected)
        }
    }

    @Test func anUnknownOutputFormatIsATypedError() {
        let conversion = Conversion(format: .tiff, edits: .none, options: EncodeOptions())
        #expect {
            try conversion.run(ToyCoder.file(), with: CodersManager([ToyCoder()]))
        } throws: { ($0 as? ImageError)?.code == .unsupportedFormat }
    }
}

/// A toy coder whose files are the sizes of pictures.
private struct ToyEncoder: ImageCoder {
    static let format = ToyCoder.format
    let toy = ToyCoder()
    var frameCount = 1

    var decodableFormats: Set<ImageFormat> { toy.decodableFormats }
    var encodableFormats: Set<ImageFormat> { toy.encodableFormats }
    func format(of head: RawSpan) -> ImageFormat? { toy.format(of: head) }
    func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        guard case .info(let info) = try toy.probe(bytes, isComplete: isComplete) else { return .needs(10) }
        return .info(ImageInfo(format: info.format, storedSize: info.storedSize, frameCount: frameCount))
    }
    func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount { toy.estimate(info, options) }
    func decode(_ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext) throws -> DecodedImage
    {
        try toy.decode(data, options, work)
    }
    func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data { Data(image.size.description.utf8) }
}
