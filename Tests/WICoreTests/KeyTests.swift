// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing

@testable import WICore

@Suite struct KeyTests {
    @Test func noChoiceOfURLImitatesAnotherKeysParts() {
        let forged = CacheKey("a1:b1:c", parts: [])
        let real = CacheKey("a", parts: [KeyPart("b", "c")])
        #expect(forged != real)
        #expect(CacheKey("a", parts: [KeyPart("b", "cd")]) != CacheKey("a", parts: [KeyPart("bc", "d")]))
        #expect(CacheKey("a", parts: [KeyPart("b", "c")]) == real)
        #expect(real.text == "1:a1:b1:c")
    }

    @Test func numbersInKeysAreCanonical() {
        #expect(KeyPart.number(2) == "2")
        #expect(KeyPart.number(-0.0) == "0")
        #expect(KeyPart.number(0.1) == "0.1")
        #expect(KeyPart.number(1e300) == "1e+300")
    }

    @Test func whateverChangesPixelsChangesTheTargetKeyAndNotTheOriginals() {
        let url = "https://host/a.png"
        let plain = ImageRequest(url)
        let contexts: [ImageContext] = [
            [.set(.thumbnailSize, PixelSize(width: 10, height: 10))],
            [.set(.thumbnailSize, PixelSize(width: 10, height: 11))],
            [.set(.thumbnailSize, PixelSize(width: 10, height: 10)), .set(.preservesAspectRatio, false)],
            [.set(.scaleDownLimit, .mebibytes(1))],
            [.set(.scaleDownLimit, .mebibytes(2))],
            [.set(.firstFrameOnly, true)],
            [.set(.scaleFactor, 2)],
        ]
        let keys = contexts.map { ImageRequest(url, context: $0) }
        #expect(Set(keys.map(\.key)).count == contexts.count)
        for request in keys {
            #expect(request.key != plain.key)
            #expect(request.originalKey == plain.key)
        }
        #expect(plain.key == plain.originalKey)
    }

    @Test func whatDoesNotChangePixelsLeavesTheKeyAlone() {
        let plain = ImageRequest("https://host/a.png")
        let urgent = ImageRequest(
            "https://host/a.png", options: [.highPriority, .retryFailed, .waitStoreCache])
        #expect(plain.key == urgent.key)
    }

    @Test func partitionsSeparateOriginalsToo() {
        let one = ImageRequest("https://host/a.png", context: [.set(.cachePartition, "1")])
        let two = ImageRequest("https://host/a.png", context: [.set(.cachePartition, "2")])
        #expect(one.originalKey != two.originalKey)
    }

    @Test func anExplicitContextValueWinsOverAnOption() {
        let request = ImageRequest(
            "https://host/a.png", options: .lowPriority, context: [.set(.priority, .high)])
        #expect(request.context[.priority] == .high)
    }

    @Test func spellingsOfOneAddressAreOneKey() {
        let spellings = [
            "https://bücher.example/a.png", "https://B%C3%BCCHER.example/a.png",
            "HTTPS://xn--bcher-kva.example/a.png#x",
        ]
        #expect(Set(spellings.map { ImageRequest($0).key }).count == 1)
        #expect(ImageRequest(spellings[0]).plan.url?.host() == "xn--bcher-kva.example")
    }

    @Test func aPasswordIsInNoKeyAndInNoError() {
        let request = ImageRequest("https://user:geheim@host/a.png?token=abc")
        #expect(!request.key.text.contains("geheim"))
        let error = ImageError(.network, stage: .load, "It failed.", url: request.url)
        #expect(!error.description.contains("geheim"))
        #expect(!error.description.contains("abc"))
        #expect(error.url?.contains("token=") == true)
    }

    @Test(arguments: [
        ("münchen", "mnchen-3ya"), ("bücher", "bcher-kva"), ("例え", "r8jz45g"),
        ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
        ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"), ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
    ])
    func punycodeIsThatOfTheStandard(_ text: String, _ expected: String) {
        #expect(InternationalHost.punycode(text.unicodeScalars.map(\.value)) == expected)
    }

    @Test func aCustomKeyTakesPartInTheCacheKey() {
        let request = ImageRequest("https://host/a.png", context: [.set(.grain, 3)])
        #expect(request.key.parts == [KeyPart("grain", "3")])
        #expect(ImageRequest("https://host/a.png", context: [.set(.grain, 0)]).key.parts.isEmpty)
    }

    @Test func scaleIsReadFromTheName() {
        #expect(ImageRequest("https://host/icon@2x.png").plan.decodeOptions.scale == 2)
        #expect(ImageRequest("https://host/icon.png").plan.decodeOptions.scale == 1)
    }
}

extension ContextKey where Value == Int {
    fileprivate static var grain: Self { Self("grain") { $0 > 0 ? KeyPart("grain", "\($0)") : nil } }
}
