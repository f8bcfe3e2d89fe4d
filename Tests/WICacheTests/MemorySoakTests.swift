// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICache
@testable import WICore

#if os(Linux)
    import Glibc

    /// What a process holds after long work of many sizes: a child's, so that no other test is measured.
    private enum Soak {
        /// MiB in memory.
        static func resident() -> Int {
            let text = ControlGroups.text("/proc/self/statm") ?? ""
            let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return pages * sysconf(Int32(_SC_PAGESIZE)) >> 20
        }

        static func run(_ cache: MemoryCache, _ rounds: Int, _ random: inout SeededGenerator) throws {
            for _ in 0..<rounds {
                let height = Int.random(in: 10..<1000, using: &random)
                var pixels = try MutablePixels(width: 256, height: height)
                _ = pixels.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 7) }
                let entry = MemoryEntry(
                    image: DecodedImage(pixels: pixels.publish()), metadata: EntryMetadata(storedAt: 0))
                cache.store(entry, for: CacheKey("\(Int.random(in: 0..<1000, using: &random))"))
            }
        }
    }

    @Suite struct MemorySoakTests {
        @Test func aLongRunOfMixedSizesHoldsNoMoreThanAShortOneAndGivesItBack() async {
            await #expect(processExitsWith: .success) {
                let cache = MemoryCache(limits: .init(cost: .mebibytes(64)), yieldsUnderPressure: false)
                var random = SeededGenerator(seed: 9)
                let empty = Soak.resident()
                try Soak.run(cache, 1000, &random)
                let short = Soak.resident()
                try Soak.run(cache, 10_000, &random)
                let long = Soak.resident()
                #expect(long <= short + 32, "\(empty), \(short), \(long) MiB")
                cache.relieve(.critical)
                ProcessMemory.releaseFree()
                #expect(Soak.resident() <= empty + 16, "\(empty), \(Soak.resident()) MiB")
            }
        }
    }
#endif
