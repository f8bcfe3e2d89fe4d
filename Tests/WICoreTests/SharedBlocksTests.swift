// SPDX-License-Identifier: MIT
import Synchronization
import Testing
import WITestKit

@testable import WICore

@Suite struct SharedBlocksTests {
    @Test(arguments: [0, 1, 2, 1000]) func everyBlockIsDoneOnceHowever(count: Int) async throws {
        for threads in [1, 4] {
            let seen = Locked([Int](repeating: 0, count: count))
            try await WorkPool(threads: threads).run { work in
                try work.forEachBlock(count, .transform) { block in seen.withLock { $0[block] += 1 } }
            }
            #expect(seen.withLock { $0 }.allSatisfy { $0 == 1 })
        }
    }

    @Test func withoutAPoolTheCallerDoesAll() throws {
        let sum = Locked(0)
        try WorkContext().forEachBlock(10, .transform) { block in sum.withLock { $0 += block } }
        #expect(sum.withLock { $0 } == 45)
    }

    @Test func idleThreadsHelp() async throws {
        // Two blocks that wait for each other: one thread alone would never end.
        let arrived = Atomic(0)
        try await WorkPool(threads: 2).run { work in
            try work.forEachBlock(2, .transform) { _ in
                arrived.wrappingAdd(1, ordering: .sequentiallyConsistent)
                while arrived.load(ordering: .sequentiallyConsistent) < 2 {}
            }
        }
        #expect(arrived.load(ordering: .sequentiallyConsistent) == 2)
    }

    @Test func helpIsNeverWaitedForThatHasNotBegun() async throws {
        // The other thread is busy until this work is done.
        let pool = WorkPool(threads: 2)
        let isBusy = Atomic(false)
        let isDone = Atomic(false)
        async let other: Void = pool.run { _ in
            isBusy.store(true, ordering: .sequentiallyConsistent)
            while !isDone.load(ordering: .sequentiallyConsistent) {}
        }
        try await pool.run { work in
            while !isBusy.load(ordering: .sequentiallyConsistent) {}
            try work.forEachBlock(8, .transform) { _ in }
            isDone.store(true, ordering: .sequentiallyConsistent)
        }
        try await other
    }

    @Test func cancelledWorkBeginsNoFurtherBlock() throws {
        let flag = CancellationFlag()
        let done = Locked(0)
        let error = #expect(throws: ImageError.self) {
            try WorkContext(flag: flag).forEachBlock(100, .transform) { block in
                done.withLock { $0 += 1 }
                if block == 3 { flag.raise() }
            }
        }
        #expect(error?.code == .cancelled && done.withLock { $0 } == 4)
    }

    @Test func manyAtOnceEndWithAllBlocksDone() async throws {
        final class Total: Sendable { let count = Locked(0) }
        let (pool, total) = (WorkPool(threads: 4), Total())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    try await pool.run { work in
                        try work.forEachBlock(50, .transform) { _ in total.count.withLock { $0 += 1 } }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(total.count.withLock { $0 } == 3200)
    }
}
