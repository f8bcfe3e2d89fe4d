// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

/// Decodes every toy to an animation of two frames, or shows toys as they come.
private final class MovingToyCoder: ProgressiveImageCoder {
    private let toy = ToyCoder()
    let isAnimated: Bool
    init(isAnimated: Bool = true) { self.isAnimated = isAnimated }

    var decodableFormats: Set<ImageFormat> { toy.decodableFormats }
    var encodableFormats: Set<ImageFormat> { toy.encodableFormats }
    func format(of head: RawSpan) -> ImageFormat? { toy.format(of: head) }
    func probe(_ bytes: RawSpan, isComplete: Bool) throws -> Probe {
        try toy.probe(bytes, isComplete: isComplete)
    }
    func estimate(_ info: ImageInfo, _ options: DecodeOptions) -> ByteCount { toy.estimate(info, options) }
    func decode(
        _ data: Data, _ options: DecodeOptions, _ work: borrowing WorkContext
    ) throws -> DecodedImage {
        let image = try toy.decode(data.prefix(10), options, work)
        guard isAnimated else { return image }
        return DecodedImage(
            pixels: image.pixels, format: image.format, metadata: image.metadata, loopCount: 3,
            frames: ToyFrames(canvasSize: image.size))
    }
    func encode(
        _ image: DecodedImage, as format: ImageFormat, _ options: EncodeOptions, _ work: borrowing WorkContext
    ) throws -> Data { try toy.encode(image, as: format, options, work) }
    func makeProgressiveDecoder(_ options: DecodeOptions) throws -> any ProgressiveDecoder { Decoder() }

    /// Shows how many bytes have come.
    private final class Decoder: ProgressiveDecoder {
        private let count = Locked(0)
        func append(_ bytes: RawSpan, _ work: borrowing WorkContext) throws {
            let more = bytes.byteCount
            count.withLock { $0 += more }
        }
        func preview(_ work: borrowing WorkContext) throws -> ImagePreview? {
            let count = count.withLock { $0 }
            return ImagePreview(pixels: try ToyFrames.pixels(UInt8(count), PixelSize(width: 1, height: 1)))
        }
    }
}

private struct ToyFrames: FrameSource {
    var canvasSize: PixelSize
    var frames: [FrameInfo] { [FrameInfo(durationMilliseconds: 50), FrameInfo(durationMilliseconds: 60)] }
    var loopCount: Int { 3 }
    var memoryCost: ByteCount { 100 }
    func makeReader() throws -> any FrameReader { Reader(size: canvasSize) }

    static func pixels(_ value: UInt8, _ size: PixelSize) throws -> PixelBuffer {
        var pixels = try MutablePixels(width: size.width, height: size.height)
        pixels.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = value }
        }
        return pixels.publish()
    }

    private final class Reader: FrameReader {
        let size: PixelSize
        init(size: PixelSize) { self.size = size }
        func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer {
            try ToyFrames.pixels(UInt8(index), size)
        }
    }
}

/// Gives a body piece by piece, each when the test lets it.
private final class SteppedLoader: ImageLoading {
    let gates: [Gate]
    private let pieces: [Data]
    init(_ pieces: [Data]) {
        self.pieces = pieces
        gates = pieces.map { _ in Gate() }
    }
    func canLoad(_ request: LoadRequest) -> Bool { true }
    func load(_ request: LoadRequest, into body: BodySink) async throws -> LoadResult {
        try body.begin(ResponseHead(status: 200, expectedLength: pieces.reduce(0) { $0 + $1.count }))
        for (piece, gate) in zip(pieces, gates) {
            await gate.pass()
            try await body.append(piece)
        }
        return .streamed
    }
}

@Suite(.timeLimit(.minutes(5))) struct ManagerOptionsTests {
    private func frames(_ result: ImageResult) throws -> [UInt8] {
        guard let source = result.image.frames else { return [] }
        let reader = try source.makeReader()
        return try source.frames.indices.map { index in
            try reader.frame(at: index, WorkContext()).withUnsafeBytes { $0[0] }
        }
    }

    private func moving(_ stage: ManagerStage, _ context: ImageContext = ImageContext()) -> ImageRequest {
        let own: ImageContext = [.set(.imageCoder, MovingToyCoder())]
        return ImageRequest(stage.url, context: context.merging(defaults: own))
    }

    @Test func anAnimationIsLeftAsItIsByATransformer() async throws {
        let stage = ManagerStage()
        let request = moving(stage, [.set(.transformer, Paint(value: 9))])
        let result = try await stage.manager.image(for: request)
        #expect(stage.pixel(result) == 10)
        #expect(try frames(result) == [0, 1])
        #expect(result.image.loopCount == 3)
        await stage.manager.drain()
        #expect(stage.cache.storedKeys == [request.originalKey])
    }

    @Test func anAnimationIsTransformedFrameByFrameOnRequest() async throws {
        let stage = ManagerStage()
        let request = moving(
            stage, [.set(.transformer, Paint(value: 9)), .set(.transformsAnimations, true)])
        let result = try await stage.manager.image(for: request)
        #expect(stage.pixel(result) == 9)
        #expect(try frames(result) == [9, 9])
        #expect(result.image.frames?.frames.map(\.durationMilliseconds) == [50, 60])
        #expect(request.key != moving(stage, [.set(.transformer, Paint(value: 9))]).key)
    }

    @Test func preloadedFramesAreInMemoryAndCounted() async throws {
        let stage = ManagerStage()
        let result = try await stage.manager.image(for: moving(stage, [.set(.preloadsFrames, true)]))
        #expect(try frames(result) == [0, 1])
        #expect(result.image.memoryCost == ByteCount(4 * 3 * 4 + 2 * 4 * 3 * 4))
        let tight = ManagerStage { $0.decodeMemory = 95 }
        let error = await #expect(throws: ImageError.self) {
            try await tight.manager.image(for: moving(tight, [.set(.preloadsFrames, true)]))
        }
        #expect(error?.code == .frameLimit)
    }

    @Test func whoWantsAnAnimationIsNotGivenAStill() async throws {
        let stage = ManagerStage()
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(stage.url, options: .matchAnimatedImage))
        }
        #expect(error?.code == .unsupportedFeature)
        _ = try await stage.manager.image(for: moving(stage, [.set(.requiresAnimation, true)]))
    }

    @Test func previewsComeInOrderTransformedAndAreNeverStored() async throws {
        let pieces = [ToyCoder.file(), Data(count: 10), Data(count: 10), Data(count: 10)]
        let loader = SteppedLoader(pieces)
        let stage = ManagerStage()
        let context: ImageContext = [
            .set(.imageLoader, loader), .set(.imageCoder, MovingToyCoder(isAnimated: false)),
            .set(.transformer, Doubling()), .set(.previewInterval, 0),
        ]
        let task = stage.manager.task(
            for: ImageRequest(stage.url, options: .progressiveLoad, context: context))
        var events = task.events.makeAsyncIterator()
        for (index, gate) in loader.gates.enumerated() {
            gate.open()
            // The last piece makes the picture whole: no preview is due any more.
            if index == pieces.count - 1 { break }
            #expect(await preview(&events) == UInt8(20 * (index + 1)))
            #expect(stage.cache.memoryEntry(for: task.request.key) == nil)
        }
        #expect(stage.pixel(try await task.result()) == 20)
        var last: ImageTask.Event?
        while let event = await events.next() { last = event }
        guard case .finished? = last else {
            Issue.record("The last event is \(String(describing: last)).")
            return
        }
    }

    private func preview(_ events: inout ImageTask.Events.Iterator) async -> UInt8? {
        while let event = await events.next() {
            if case .preview(let preview) = event { return preview.pixels.withUnsafeBytes { $0[0] } }
        }
        return nil
    }

    @Test func aScheduleMakesOnePreviewAtATimeAndNoneForAlmostNothing() {
        var schedule = PreviewSchedule(interval: 0.1)
        func begins(_ received: Int) -> Bool { schedule.begins(received: received, expected: 1000) }
        #expect(begins(1))
        #expect(!begins(500))
        schedule.ended()
        #expect(!begins(100))
        #expect(begins(101))
        schedule.ended()
        #expect(!begins(1000))
        schedule.close()
        #expect(!begins(900))
        // Of unknown length: the number of previews grows with the logarithm.
        var unknown = PreviewSchedule(interval: 0.5)
        var count = 0
        for received in 1...100_000 where unknown.begins(received: received, expected: nil) {
            count += 1
            unknown.ended()
        }
        #expect(count < 40)
    }

    @Test func theOptionsProcessorHasTheLastWord() async throws {
        let stage = ManagerStage { configuration in
            configuration.defaultContext[.transformer] = Paint(value: 1)
            configuration.optionsProcessor = { url, context in
                var context = context
                if url?.path().hasSuffix(".toy") == true { context[.transformer] = Paint(value: 2) }
                return context
            }
        }
        #expect(stage.pixel(try await stage.manager.image(for: ImageRequest(stage.url))) == 2)
    }

    @Test func theDelegateDecidesWhatIsBlocked() async throws {
        for (time, code) in [(Duration.zero, ImageError.Code.httpStatus), (.seconds(9), .blocked)] {
            let stage = ManagerStage()
            let delegate = RecordingDelegate(blockingTime: time)
            stage.manager.setDelegate(delegate)
            var last: ImageError?
            for _ in 0..<2 {
                last = await #expect(throws: ImageError.self) {
                    try await stage.manager.image(for: ImageRequest("http://host/missing.toy"))
                }
            }
            #expect(last?.code == code)
        }
    }

    @Test func aFailureBlocksOnlyRequestsThatWouldFailTheSameWay() async throws {
        let stage = ManagerStage()
        var tight = DecodeOptions()
        tight.limits.pixels = 4
        await #expect(throws: ImageError.self) {
            try await stage.manager.image(
                for: ImageRequest(stage.url, context: [.set(.decodeOptions, tight)]))
        }
        await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(stage.url, context: [.set(.bodyLimit, 1)]))
        }
        #expect(try await stage.manager.image(for: ImageRequest(stage.url)).origin == .loader)
    }

    @Test func whatWasLoadedUncheckedReachesNoRequestThatChecks() async throws {
        let stage = ManagerStage()
        _ = try await stage.manager.image(for: ImageRequest(stage.url, options: .allowInvalidCertificates))
        await stage.manager.drain()
        #expect(try await stage.manager.image(for: ImageRequest(stage.url)).origin == .loader)
    }

    @Test(arguments: ["X-Api-Key", "x-auth-token", "X-Session-Id", "Cookie", "X-Amz-Signature"])
    func secretFieldsKeepPicturesApart(_ name: String) async throws {
        let stage = ManagerStage()
        let headers: HTTPHeaders = [name: "SECRET"]
        let context: ImageContext = [.set(.requestHeaders, headers)]
        _ = try await stage.manager.image(for: ImageRequest(stage.url, context: context))
        await stage.manager.drain()
        #expect(stage.cache.storedKeys.isEmpty)
        #expect(!"\(context)".contains("SECRET"))
        #expect("\(context)".contains(name))
    }

    @Test func bytesOfTheCallersStayWithThePictureInEveryLevel() async throws {
        let stage = ManagerStage()
        let note = Data("seen by Ada".utf8)
        let request = ImageRequest(stage.url, context: [.set(.extendedData, note)])
        #expect(try await stage.manager.image(for: request).metadata.extendedData == note)
        await stage.manager.drain()
        // They are no part of the key: whoever asks is given them.
        let memory = try await stage.manager.image(for: ImageRequest(stage.url))
        #expect(memory.origin == .memory)
        #expect(memory.metadata.extendedData == note)
        stage.cache.clearMemory()
        let disk = try await stage.manager.image(for: ImageRequest(stage.url))
        #expect(disk.origin == .disk)
        #expect(disk.metadata.extendedData == note)
        #expect(try await stage.manager.data(for: ImageRequest(stage.url)).metadata.extendedData == note)
        // A confirmation without any leaves them, one with others replaces them.
        stage.loader.answer(stage.url, .http(ToyCoder.file(), ["ETag": "\"1\""]))
        let confirmed = try await stage.manager.image(for: ImageRequest(stage.url, options: .refreshCached))
        #expect(confirmed.metadata.extendedData == note)
        let other = Data("seen by Bob".utf8)
        let replaced = try await stage.manager.image(
            for: ImageRequest(stage.url, options: .refreshCached, context: [.set(.extendedData, other)]))
        #expect(replaced.metadata.extendedData == other)
        await stage.manager.drain()
        #expect(stage.cache.memoryEntry(for: request.key)?.metadata.extendedData == other)
    }

    @Test func aContextPrintsItsKeysAndValues() {
        let context: ImageContext = [
            .set(.thumbnailSize, PixelSize(width: 3, height: 4)), .set(.priority, .high),
            .suppress(.transformer),
        ]
        #expect("\(context)" == "[priority: high, thumbnailSize: 3x4, transformer: none]")
    }

    @Test func aPlugInThatCancelsByItselfHasFailed() async throws {
        let stage = ManagerStage(coder: ToyCoder(onDecode: { throw CancellationError() }))
        let error = await #expect(throws: ImageError.self) {
            try await stage.manager.image(for: ImageRequest(stage.url))
        }
        #expect(error?.code == .corruptData)
    }

    @Test(arguments: [
        ("http://u:SECRET@[bad/?t=SECRET", "http://…@[bad/?…"),
        ("http://host:x?SECRET#SECRET", "http://host:x?…"),
        ("no url at all", "no url at all"), ("", ""), ("://@", "://…@"), ("?", "?…"),
    ])
    func textThatIsNoURLIsShownWithoutItsSecrets(_ text: String, _ shown: String) {
        #expect(redacted(text) == shown)
        #expect(!"\(ImageError.invalidURL(text))".contains("SECRET"))
    }

    @Test func aQueryWithoutNamesIsHidden() throws {
        let url = try #require(URL(string: "http://host/a?SECRET&b=SECRET&c"))
        #expect(redacted(url) == "http://host/a?…&b=…&…")
    }

    @Test(arguments: [
        ("http://host/icon@2x.png", 2.0), ("http://host/icon%403x.png", 3), ("http://host/icon2x.png", 1),
        ("http://host/@2xpng", 1), ("http://host/icon@4x.png", 1), ("http://h/a@2x.x", 2),
    ])
    func theScaleStandsInTheName(_ url: String, _ scale: Double) {
        #expect(ImageRequest(url).plan.decodeOptions.scale == scale)
    }
}

private struct Doubling: Transformer {
    var keyPart: KeyPart { KeyPart("double", "1") }
    func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        let value = pixels.withUnsafeBytes { $0[0] }
        return try ToyFrames.pixels(value * 2, pixels.size)
    }
}
