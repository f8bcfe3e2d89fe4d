// SPDX-License-Identifier: MIT
import Testing

@testable import WICore

@Suite struct WorkQueueTests {
    @Test func theHighestPriorityGoesFirstAndWithinOneTheFirst() {
        var queue = WorkQueue(slots: 1, budget: 100)
        let first = queue.submit(.normal, cost: 1)
        let low = queue.submit(.low, cost: 1)
        let high = queue.submit(.high, cost: 1)
        let second = queue.submit(.normal, cost: 1)
        var order: [WorkQueue.ID] = []
        while case let admitted = queue.admit(), let id = admitted.first {
            order.append(id)
            queue.finish(id)
        }
        #expect(order == [high, first, second, low])
    }

    @Test func aRaisedJobOvertakesAndAWithdrawnOneNeverRuns() {
        var queue = WorkQueue(slots: 1, budget: 100)
        let first = queue.submit(.normal, cost: 1)
        let second = queue.submit(.normal, cost: 1)
        let third = queue.submit(.low, cost: 1)
        queue.setPriority(.high, of: third)
        let withdrawn = [queue.withdraw(first), queue.withdraw(first)]
        #expect(withdrawn == [true, false])
        let raised = queue.admit()
        #expect(raised == [third])
        queue.finish(third)
        let next = queue.admit()
        #expect(next == [second])
        let isTooLate = !queue.withdraw(second)
        #expect(isTooLate)
    }

    @Test func bytesAreAdmittedUpToTheBudgetAndNothingOvertakesTheHead() {
        var queue = WorkQueue(slots: 8, budget: 100)
        let half = queue.submit(.normal, cost: 60)
        let large = queue.submit(.normal, cost: 50)
        let small = queue.submit(.normal, cost: 1)
        let first = queue.admit()
        #expect(first == [half])
        queue.finish(half)
        let rest = queue.admit()
        #expect(rest == [large, small])
        #expect(queue.usedBytes == 51)
    }

    @Test func aJobLargerThanTheBudgetRunsAlone() {
        var queue = WorkQueue(slots: 2, budget: 100)
        let giant = queue.submit(.normal, cost: .unlimited)
        let other = queue.submit(.normal, cost: .unlimited)
        let admitted = [queue.admit(), queue.admit()]
        #expect(admitted == [[giant], []])
        queue.finish(giant)
        let last = queue.admit()
        #expect(last == [other])
        queue.finish(other)
        #expect(queue.usedBytes == 0)
    }

    @Test func aPoolRunsEverythingAndGivesResults() async throws {
        let pool = WorkPool(threads: 2, memoryBudget: 10)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask { try await pool.run(number % 2 == 0 ? .low : .high, cost: 7) { _ in number } }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 19_900)
    }

    @Test func cancellingATaskWithdrawsItsWork() async {
        let pool = WorkPool(threads: 1, memoryBudget: 10)
        let blocker = Task {
            try await pool.run { work in
                while !work.isCancelled {}
            }
        }
        let waiting = Task { try await pool.run { _ in Issue.record("withdrawn work ran") } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        blocker.cancel()
        _ = await blocker.result
    }
}
