// SPDX-License-Identifier: MIT
import FoundationEssentials
import GIFReferenceShim
import Testing
import WICore
@testable import WIGIF
import WITestKit

/// Every GIF of the corpus.
@Suite(.enabled("WEBIMAGE_CORPUS names no corpus", { Corpus.isPresent }))
struct GIFCorpusTests {
    static let entries = Corpus.entries { $0.format == "gif" }

    private func data(_ entry: CorpusEntry) throws -> Data {
        try #require(Corpus.shared).data(at: entry.path)
    }

    @Test func `the first frame of each sound file has exactly the pixels that are claimed`() throws {
        var compared = 0
        for entry in Self.entries where entry.expect == .decode && entry.bomb != true {
            let image = try GIFCoder().decode(try data(entry), DecodeOptions(), WorkContext())
            #expect(
                image.size.width == entry.displayWidth && image.size.height == entry.displayHeight, "\(entry)"
            )
            let claimed = Self.claimed(entry).compactMap(\.first)
            guard !claimed.isEmpty else { continue }
            compared += 1
            #expect(claimed.contains(image.pixels.withUnsafeBytes { SHA256.hex($0) }), "\(entry)")
        }
        #expect(compared > 90)
    }

    /// The digests of the frames: those that are right, or those of the decoders that follow the specification.
    static func claimed(_ entry: CorpusEntry) -> [[String]] {
        if let exact = entry.rgbaSHA256?.all { return [exact] }
        let groups = entry.candidates ?? []
        let bySpecification = groups.filter { $0.by.contains("spec") }
        return (bySpecification.isEmpty ? groups : bySpecification).compactMap { $0.rgbaSHA256ZT?.all }
    }

    @Test func `every frame that giflib expands has the same pixels by our way`() throws {
        var compared = 0
        for entry in Self.entries {
            let data = try data(entry)
            var head = GIFHead()
            guard case .complete = try head.read(data.bytes) else { continue }
            for (ours, theirs) in zip(try expanded(head.frames, data), referenceFrames(data)) {
                // In damaged data, giflib takes codes for the end that cannot be.
                guard ours != nil || entry.expect == .decode else { continue }
                compared += 1
                #expect(ours == theirs, "\(entry)")
            }
        }
        #expect(compared > 3000)
    }

    private static let mostPixels = 4_000_000

    private func expanded(_ frames: [GIFFrame], _ data: Data) throws -> [[UInt8]?] {
        let expander = try GIFExpander()
        return try frames.map { frame in
            guard frame.size.pixelCount ?? .max <= Self.mostPixels else { return nil }
            var indices: [UInt8] = []
            let ending = try data.bytes.withUnsafeBytes { file throws(ImageError) in
                try expander.expand(frame, of: file, visibleRows: frame.height, WorkContext()) {
                    #expect($0 == indices.count)
                    indices += UnsafeBufferPointer(start: $1, count: $2)
                }
            }
            return ending.isIncomplete ? nil : indices
        }
    }

    /// Frames until giflib refuses one; nil for those that are too large.
    private func referenceFrames(_ data: Data) -> [[UInt8]?] {
        data.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard let reference = wi_gif_reference_open(start, bytes.count) else { return [] }
            defer { wi_gif_reference_close(reference) }
            var frames: [[UInt8]?] = []
            var (width, height) = (UInt32(0), UInt32(0))
            while wi_gif_reference_next(reference, &width, &height) {
                let count = Int(width) * Int(height)
                var indices = [UInt8](repeating: 0, count: min(count, Self.mostPixels))
                for row in 0..<Int(height) where count <= Self.mostPixels {
                    let isRead = indices.withUnsafeMutableBufferPointer { target in
                        guard width > 0, let base = target.baseAddress else { return false }
                        return wi_gif_reference_read(reference, base + row * Int(width), width)
                    }
                    if !isRead { return frames }
                }
                frames.append(count <= Self.mostPixels ? indices : nil)
                if count > Self.mostPixels || width == 0 { return frames }
            }
            return frames
        }
    }

    @Test func `a damaged file is an error, or a picture of its size that says what is missing`() throws {
        for entry in Self.entries where entry.expect != .decode {
            do {
                let image = try GIFCoder().decode(try data(entry), DecodeOptions(), WorkContext())
                #expect(entry.expect == .partial, "\(entry)")
                #expect(image.size.width == entry.width && image.size.height == entry.height, "\(entry)")
            } catch let error as ImageError {
                #expect(!error.message.isEmpty && error.code != .outOfMemory, "\(entry)")
            }
        }
    }

    @Test func `the head says what the manifest says`() throws {
        for entry in Self.entries where entry.expect == .decode {
            let data = try data(entry)
            guard case .info(let info) = try GIFCoder().probe(data.bytes, isComplete: true) else {
                Issue.record("\(entry): a complete file needs more bytes")
                continue
            }
            #expect(
                info.storedSize.width == entry.width && info.storedSize.height == entry.height, "\(entry)")
            #expect(info.frameCount == entry.frameCount, "\(entry)")
            #expect(info.loopCount == entry.loopCount ?? 1, "\(entry)")
            if info.frameCount > 1, let durations = entry.frameDurationsMs {
                // The manifest stops at 400.
                #expect(
                    Array(info.frameDurationsMilliseconds.prefix(durations.count)) == durations, "\(entry)")
            }
            #expect(info.hasAlpha == entry.hasAlpha && info.hasICCProfile == entry.hasICC, "\(entry)")
        }
    }

    @Test func `a part of a file says how much more the probe needs, and the whole never needs more`() throws
    {
        for entry in Self.entries where entry.expect == .decode {
            let data = try data(entry)
            var length = 6
            while case .needs(let count) = try GIFCoder().probe(data.prefix(length).bytes, isComplete: false)
            {
                #expect(count.bytes > length && count.bytes <= data.count, "\(entry)")
                length = max(length + 1, count.bytes)
            }
            guard case .info(let info) = try GIFCoder().probe(data.prefix(length).bytes, isComplete: false)
            else { continue }
            #expect(info.storedSize.width == entry.width, "\(entry)")
        }
    }

    @Test func `cut and changed files never crash, and keep within their size`() throws {
        var generator = SeededGenerator(seed: 7)
        for entry in Self.entries where entry.bomb != true {
            let whole = try data(entry)
            guard whole.count < 100_000 else { continue }
            for round in 0..<12 {
                var data = round % 2 == 0 ? whole : whole.prefix(Int(generator.next() % UInt64(whole.count)))
                if round % 3 > 0, !data.isEmpty {
                    for _ in 0..<1 + Int(generator.next() % 8) {
                        data[Int(generator.next() % UInt64(data.count))] = UInt8(
                            truncatingIfNeeded: generator.next())
                    }
                }
                var options = DecodeOptions()
                options.limits.pixels = 2_000_000
                if round % 4 == 0 { options.thumbnailSize = PixelSize(width: 20, height: 20) }
                do {
                    let image = try GIFCoder().decode(data, options, WorkContext())
                    #expect(image.pixels.byteCount.bytes == image.size.width * image.size.height * 4)
                } catch {
                    #expect(error is ImageError, "\(entry): \(error)")
                }
            }
        }
    }
}
