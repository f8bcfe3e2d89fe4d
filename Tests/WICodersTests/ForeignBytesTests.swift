// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore

@testable import WICoders

/// Coders that are asked without the registry, which would have looked at the first bytes.
struct ForeignBytesTests {
    static let coders: [any ImageCoder] = [JPEGCoder(), PNGCoder(), PAMCoder()]

    @Test(
        "bytes of another kind are no picture, and the error shows how they begin", arguments: coders.indices)
    func html(index: Int) {
        let (coder, html) = (Self.coders[index], Data("<html><p>Not here".utf8))
        for error in [
            #expect(throws: ImageError.self) { try coder.decode(html, DecodeOptions(), WorkContext()) },
            #expect(throws: ImageError.self) { try coder.probe(html.bytes, isComplete: true) },
            #expect(throws: ImageError.self) { try coder.probe(html.bytes, isComplete: false) },
        ] {
            #expect(error?.code == .notAnImage)
            #expect(error?.message.contains("they begin with “<html><p>Not her”") == true)
        }
    }

    @Test("one byte may still become a picture", arguments: coders.indices)
    func firstByte(index: Int) throws {
        let first: [UInt8] = [0xFF, 0x89, UInt8(ascii: "P")]
        guard case .needs = try Self.coders[index].probe(Data([first[index]]).bytes, isComplete: false) else {
            Issue.record("nothing more is needed")
            return
        }
    }
}
