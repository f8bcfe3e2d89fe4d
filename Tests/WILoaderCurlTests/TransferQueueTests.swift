// SPDX-License-Identifier: MIT
import Testing
import WICore
import WITestKit

@testable import WILoaderCurl

@Suite struct TransferQueueTests {
    @Test func theMostUrgentGoFirstWithinTheCaps() {
        var queue = TransferQueue(total: 3, perHost: 2)
        queue.add(1, host: "a", .normal)
        queue.add(2, host: "a", .low)
        queue.add(3, host: "a", .high)
        queue.add(4, host: "b", .low)
        let started = queue.start()
        #expect(started == [3, 1, 4])
        queue.remove(3)
        let next = queue.start()
        #expect(next == [2])
        #expect(queue.waitingCount == 0)
    }

    @Test func aWaitingTransferCanBeRaisedAndWithdrawn() {
        var queue = TransferQueue(total: 1, perHost: 1)
        for id in 1...4 { queue.add(UInt64(id), host: "a", .normal) }
        queue.setPriority(.high, of: 3)
        queue.remove(1)
        let first = queue.start()
        #expect(first == [3])
        queue.remove(3)
        let second = queue.start()
        #expect(second == [2])
    }

    @Test func aHostAtItsCapDoesNotHoldBackTheOthers() {
        var queue = TransferQueue(total: 10, perHost: 1)
        for id in 1...5 { queue.add(UInt64(id), host: "busy", .high) }
        queue.add(6, host: "free", .low)
        let started = queue.start()
        #expect(started == [1, 6])
    }

    @Test func aChangeOfPriorityOfOneThatRunsOrIsGoneDoesNothing() {
        var queue = TransferQueue(total: 1, perHost: 1)
        queue.add(1, host: "a", .normal)
        _ = queue.start()
        queue.setPriority(.high, of: 1)
        queue.setPriority(.high, of: 99)
        queue.remove(99)
        #expect(queue.runningCount == 1)
        #expect(queue.waitingCount == 0)
    }

    /// The rules said as plainly as possible: look through all that wait, every time.
    private struct Model {
        var waiting: [(id: UInt64, host: String, priority: LoadPriority)] = []
        var running: [(id: UInt64, host: String)] = []
        let total: Int
        let perHost: Int

        mutating func start() -> [UInt64] {
            var started: [UInt64] = []
            for priority in LoadPriority.allCases.reversed() {
                for entry in waiting where entry.priority == priority {
                    let busy = running.filter { $0.host == entry.host }.count
                    guard running.count < total, busy < perHost else { continue }
                    running.append((entry.id, entry.host))
                    started.append(entry.id)
                }
            }
            waiting.removeAll { started.contains($0.id) }
            return started
        }

        mutating func setPriority(_ priority: LoadPriority, of id: UInt64) {
            guard let index = waiting.firstIndex(where: { $0.id == id }), waiting[index].priority != priority
            else { return }
            var entry = waiting.remove(at: index)
            entry.priority = priority
            waiting.append(entry)
        }
    }

    @Test(arguments: 1...20)
    func anyOrderOfEventsGivesWhatThePlainRulesGive(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let total = Int.random(in: 1...8, using: &random)
        let perHost = Int.random(in: 1...4, using: &random)
        var queue = TransferQueue(total: total, perHost: perHost)
        var model = Model(total: total, perHost: perHost)
        let hosts = ["a", "b", "c", "d", "e"].prefix(Int.random(in: 1...5, using: &random))
        for id in 1...400 {
            let anyone = UInt64.random(in: UInt64(max(1, id - 60))...UInt64(id), using: &random)
            let priority = LoadPriority.allCases[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let host = hosts[Int.random(in: 0..<hosts.count, using: &random)]
                queue.add(UInt64(id), host: host, priority)
                model.waiting.append((UInt64(id), host, priority))
            case 4..<6:
                queue.setPriority(priority, of: anyone)
                model.setPriority(priority, of: anyone)
            case 6..<8:
                let gone = model.running.randomElement(using: &random)?.id ?? anyone
                queue.remove(gone)
                model.running.removeAll { $0.id == gone }
                model.waiting.removeAll { $0.id == gone }
            case 8:
                queue.remove(anyone)
                model.running.removeAll { $0.id == anyone }
                model.waiting.removeAll { $0.id == anyone }
            default: break
            }
            let started = queue.start()
            let expected = model.start()
            let counts = (queue.runningCount, queue.waitingCount)
            // One macro for each of eight thousand steps would take most of the test's time.
            guard started == expected, counts == (model.running.count, model.waiting.count) else {
                Issue.record("Step \(id): started \(started), \(expected) expected; counts \(counts).")
                return
            }
        }
    }

    @Test func whatIsPutFirstGoesBeforeAllOthersOfItsPriority() {
        var queue = TransferQueue(total: 1, perHost: 1)
        queue.add(1, host: "a", .normal)
        #expect(queue.start() == [1])
        for id in UInt64(2)...4 { queue.add(id, host: "a", .normal) }
        queue.add(5, host: "a", .normal, isFirst: true)
        queue.add(6, host: "b", .normal, isFirst: true)
        queue.add(7, host: "a", .high)
        queue.remove(6)
        var order: [UInt64] = []
        var running: UInt64 = 1
        while queue.waitingCount > 0 {
            queue.remove(running)
            guard let next = queue.start().first else { break }
            order.append(next)
            running = next
        }
        #expect(order == [7, 5, 2, 3, 4])
    }
}
