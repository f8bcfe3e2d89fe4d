// SPDX-License-Identifier: MIT
import Testing
import WITestKit

@testable import WICache

@Suite struct PlaceIndexTests {
    /// Few hashes, next to each other and at the end of the table: long runs, which wrap around.
    private static let hashes = [0, 1, 2, 15, 15, 31, 63, 1 << 20, -1, -1 << 40]

    @Test func aLongRandomRunAgreesWithADictionary() {
        var random = SeededGenerator(seed: 7)
        var index = PlaceIndex()
        var model: [Int: Int] = [:]
        for _ in 0..<20_000 {
            let place = Int.random(in: 0..<200, using: &random)
            if let hash = model.removeValue(forKey: place) {
                index.remove(place, hash: hash)
            } else {
                let hash = Self.hashes.randomElement(using: &random) ?? 0
                index.insert(place, hash: hash)
                model[place] = hash
            }
            let asked = Int.random(in: 0..<200, using: &random)
            let hash = model[asked] ?? Self.hashes[0]
            let expected = model[asked] == nil ? nil : asked
            guard index.find(hash, where: { $0 == asked }) == expected else {
                Issue.record("\(asked) under \(hash)")
                return
            }
        }
        #expect(index.count == model.count)
        for (place, hash) in model { #expect(index.find(hash) { $0 == place } == place) }
    }

    @Test func removingWhatIsNotThereChangesNothing() {
        var index = PlaceIndex()
        index.insert(3, hash: 15)
        index.remove(4, hash: 15)
        index.remove(4, hash: 14)
        #expect(index.count == 1)
        #expect(index.find(15) { $0 == 3 } == 3)
    }
}
