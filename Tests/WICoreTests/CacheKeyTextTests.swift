// SPDX-License-Identifier: MIT
import Testing
import WITestKit

@testable import WICore

@Suite struct CacheKeyTextTests {
    @Test(arguments: [
        CacheKey(""), CacheKey("https://host/a.png"),
        CacheKey("ü:5:x", parts: [KeyPart("", ""), KeyPart("3:ä", "7:")]),
        CacheKey("a", parts: [KeyPart("thumbnail", "300x200"), KeyPart("partition", "me\0you")]),
    ])
    func aKeyIsMadeAgainOfItsText(_ key: CacheKey) throws {
        let again = try #require(CacheKey(text: key.text))
        #expect(again == key)
        #expect(again.base == key.base)
        #expect(again.parts == key.parts)
    }

    @Test(arguments: [
        "", "x", "5:abc", "1:a1:b", "01:a", "+1:a", "-1:a", "1:a99999999999999999999:b",
        "9223372036854775807:a",
        "1:ä", ":", "1:a ",
    ])
    func whatIsNoKeysTextIsNone(_ text: String) {
        #expect(CacheKey(text: text) == nil)
    }

    @Test func noiseIsNoKeyUnlessItReadsBackTheSame() {
        var random = SeededGenerator(seed: 5)
        let letters = Array("0123456789::::abä")
        for _ in 0..<2000 {
            let text = String(
                (0..<Int.random(in: 0..<20, using: &random)).compactMap { _ in
                    letters.randomElement(using: &random)
                })
            if let key = CacheKey(text: text) { #expect(key.text == text) }
        }
    }
}
