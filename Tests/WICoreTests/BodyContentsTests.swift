// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where the bytes of a body lie.
@Suite(.timeLimit(.minutes(5))) struct BodyContentsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func files(_ threshold: ByteCount = 100_000) -> BodyFiles {
        var files = BodyFiles(folder: folder.path + "/bodies")
        files.threshold = threshold
        return files
    }

    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) })
    }

    private func filled(
        _ body: Data, by step: Int, expected: Int?, _ files: BodyFiles? = nil
    ) -> BodyContents {
        var contents = BodyContents(files)
        for start in stride(from: 0, to: body.count, by: step) {
            let piece = Data(body[start..<min(start + step, body.count)])
            let hasRoom = contents.makeRoom(for: piece.count, expected: expected)
            #expect(hasRoom)
            contents.append(piece.bytes)
        }
        return contents
    }

    @Test(arguments: [0, 1, 14, 15, 16_384, 70_000, 300_000, 5_000_000], [true, false])
    func theBytesAreThoseThatCame(_ count: Int, isStated: Bool) {
        let body = bytes(count)
        for files in [nil, files()] {
            var contents = filled(body, by: 16_000, expected: isStated ? count : nil, files)
            #expect(contents.count == count)
            #expect(contents.isInFile == (files != nil && count > 100_000))
            #expect(contents.copy(from: count / 2) == body.dropFirst(count / 2))
            #expect(contents.withBytes { $0.byteCount } == count)
            let data = contents.handOut()
            #expect(data == body)
        }
    }

    @Test func whoeverChangesWhatWasHandedOutChangesNobodyElses() {
        let body = bytes(200_000)
        for files in [nil, files()] {
            var contents = filled(body, by: 50_000, expected: nil, files)
            var first = contents.handOut()
            var second = contents.handOut()
            first[0] = 0xAA
            first.append(contentsOf: [1, 2, 3])
            second[1] = 0xBB
            let third = contents.handOut()
            #expect(third == body)
            #expect(first.count == body.count + 3)
            #expect(first.dropFirst().dropLast(3) == body.dropFirst())
            #expect(second.dropFirst(2) == body.dropFirst(2))
        }
    }

    @Test func whatWasHandedOutOutlivesTheSink() throws {
        let body = bytes(400_000)
        var data = Data()
        do {
            let sink = BodySink(files: files())
            try sink.begin(ResponseHead(status: 200, expectedLength: body.count))
            #expect(sink.offer(body.bytes) == .accepted)
            data = try sink.finish()
        }
        // Whoever took the memory meanwhile would write into it.
        for _ in 0..<20 { _ = filled(Data(repeating: 1, count: 400_000), by: 400_000, expected: nil) }
        #expect(data == body)
        data.append(7)
        #expect(data.dropLast() == body)
    }

    @Test func aFileHasNoNameAndNoOneElseMayReadItsFolder() throws {
        let sink = BodySink(files: files())
        #expect(sink.offer(bytes(200_000).bytes) == .accepted)
        #expect(try LocalFileSystem().list(folder.path + "/bodies").isEmpty)
        #expect(try LocalFileSystem().status(folder.path + "/bodies").rights & 0o777 == 0o700)
    }

    @Test func withoutAPlaceForFilesTheBodyIsInMemory() throws {
        for path in ["/proc/nowhere", "/dev/null", folder.path + "/" + String(repeating: "x", count: 300)] {
            var files = BodyFiles(folder: path)
            files.threshold = 1
            let body = bytes(200_000)
            var contents = filled(body, by: 1000, expected: body.count, files)
            #expect(!contents.isInFile)
            let data = contents.handOut()
            #expect(data == body)
        }
    }

    @Test func aBodyInAFileTakesNothingFromTheBudgetAndKeepsToItsLimit() {
        let budget = BodyBudget(capacity: 1000)
        func sink() -> BodySink {
            BodySink(
                url: nil, limit: 500_000, budget: budget, files: files(1000),
                judge: { (_, _) throws(ImageError) in true }, onProgress: { _, _ in })
        }
        let (first, second) = (sink(), sink())
        for sink in [first, second] {
            #expect(sink.offer(bytes(400_000).bytes) == .accepted)
            #expect(sink.receivedCount == 400_000)
        }
        #expect(budget.used == .zero)
        #expect(first.offer(bytes(100_001).bytes) == .stop)
        #expect(first.failure?.code == .bodyLimit)
    }

    @Test func aLengthThatIsALieTakesLittleMemory() {
        var contents = BodyContents(nil)
        let hasRoom = contents.makeRoom(for: 10, expected: 1 << 60)
        #expect(hasRoom)
        // A block that was kept may be twice as long as the one asked for.
        #expect(contents.capacity <= 2 << 20)
    }
}
