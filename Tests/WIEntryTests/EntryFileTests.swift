// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore

@testable import WIEntry

@Suite struct EntryFileTests {
    static let metadata: EntryMetadata = {
        var metadata = EntryMetadata(
            storedAt: 1_790_000_000.25, expiresAt: 1_800_000_000, sourceURL: "https://host/ä.png",
            contentType: "image/png", validators: Validators(entityTag: "\"x\"", lastModified: "yesterday"),
            extendedData: Data([0, 1, 2, 255]))
        metadata.responseHeaders.add("Cache-Control", "max-age=60, public")
        metadata.responseHeaders.add("Vary", "")
        return metadata
    }()

    static func entry(_ payload: [UInt8] = [1, 2, 3, 4, 5]) -> EntryFile {
        EntryFile(keyText: "18:https://host/ä.png", metadata: metadata, payload: Data(payload))
    }

    static func file(_ entry: EntryFile) throws -> Data { try entry.payload + entry.trailer() }

    @Test(arguments: [0, 1, 5, 1000])
    func whatWasWrittenIsReadBack(_ count: Int) throws {
        let entry = Self.entry(Array(repeating: 9, count: count))
        #expect(try EntryFile(Self.file(entry)) == entry)
    }

    @Test func noSingleChangedByteGoesUnnoticed() throws {
        let file = try Self.file(Self.entry())
        for index in file.indices {
            for flip in [UInt8(1), 0x80, 0xFF] {
                var damaged = file
                damaged[index] ^= flip
                #expect(throws: EntryFile.Fault.self, "byte \(index)") { try EntryFile(damaged) }
            }
        }
    }

    @Test func noCutFileIsAnEntry() throws {
        let file = try Self.file(Self.entry())
        for count in 0..<file.count {
            #expect(throws: EntryFile.Fault.self) { try EntryFile(Data(file.prefix(count))) }
            #expect(throws: EntryFile.Fault.self) { try EntryFile(Data(file.suffix(count))) }
        }
        #expect(throws: EntryFile.Fault.self) { try EntryFile(file + Data([0])) }
    }

    @Test func fieldsOfLaterVersionsAreKept() throws {
        var entry = Self.entry()
        entry.unknownFields = [EntryFile.UnknownField(tag: 900, bytes: Data("later".utf8))]
        let read = try EntryFile(Self.file(entry))
        #expect(read.unknownFields == entry.unknownFields)
        #expect(read.metadata == entry.metadata)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func timesThatAreNoNumbersAreNeitherWrittenNorRead(_ time: Double) throws {
        let entry = EntryFile(
            keyText: "1:k", metadata: EntryMetadata(storedAt: time, expiresAt: time), payload: Data([1]))
        let read = try EntryFile(Self.file(entry))
        #expect(read.metadata == EntryMetadata(storedAt: 0))
        var fields: [UInt8] = [1, 0, 3, 0, 0, 0] + Array("1:k".utf8) + [2, 0, 8, 0, 0, 0]
        withUnsafeBytes(of: time.bitPattern.littleEndian) { fields.append(contentsOf: $0) }
        let file = Data([1]) + EntryFile.trailer(fields: fields, payload: Data([1]))
        #expect(throws: EntryFile.Fault.malformed) { try EntryFile(file) }
    }

    /// Lengths that lie, behind a checksum that is right.
    @Test(
        arguments: [
            [1, 0, 255, 255, 255, 255], [1, 0, 4, 0, 0, 0, 65, 65, 65], [1],
            [2, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            [8, 0, 1, 0, 0, 0, 65], [1, 0, 1, 0, 0, 0, 255], [],
        ] as [[UInt8]])
    func fieldsThatBreakTheRulesAreNoEntry(_ fields: [UInt8]) {
        let file = Data([1]) + EntryFile.trailer(fields: fields, payload: Data([1]))
        #expect(throws: EntryFile.Fault.malformed) { try EntryFile(file) }
    }

    @Test func theTrailerBeginsLikeAFreeBox() throws {
        let trailer = try Self.entry().trailer()
        let size = trailer.bytes.bigEndian32(0)
        let isFree = trailer.bytes.has("free", at: 4)
        #expect(size == trailer.count)
        #expect(isFree)
    }

    /// The bytes of a file are a promise to later versions: this one was written by version 1.
    @Test func theFormatDoesNotChange() throws {
        let entry = EntryFile(
            keyText: "1:k", metadata: EntryMetadata(storedAt: 1, contentType: "image/png"),
            payload: Data([7, 8]))
        let expected =
            "0708" + "0000005266726565" + "01000000" + "010003000000313a6b" + "020008000000000000000000f03f"
            + "050009000000696d6167652f706e67" + "0200000000000000" + "54a296eab34060cf" + "5200000000000000"
            + "5749454e54525931"
        let text = try Self.file(entry).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text == expected)
    }

    @Test func digestsAreStable() {
        let digest = EntryDigest(CacheKey("https://host/a.png"))
        #expect(digest.text.count == 32)
        #expect(digest.shardName == digest.text.prefix(2))
        #expect(Int(digest.shardName, radix: 16) == digest.shard)
        #expect(EntryDigest(CacheKey("https://host/b.png")).text != digest.text)
    }
}
