// SPDX-License-Identifier: MIT
import Testing
import WITestKit

@testable import WICore

@Suite(.timeLimit(.minutes(5))) struct WriteOrderTests {
    private let order = WriteOrder()
    private let a = CacheKey("a")
    private let b = CacheKey("b")

    private final class Log<Value: Sendable>: Sendable {
        private let found = Locked<[Value]>([])
        var values: [Value] { found.withLock { $0 } }
        func add(_ value: Value) { found.withLock { $0.append(value) } }
    }

    @Test func writesOfOneKeyComeInTheOrderOfTheirTurnsWhateverStartsFirst() async {
        let written = Log<Int>()
        let turns = (0..<50).map { _ in order.turn(for: a) }
        await withTaskGroup(of: Void.self) { group in
            for (number, turn) in turns.enumerated().reversed() {
                group.addTask { [order] in
                    await order.write(in: turn) { written.add(number) }
                }
            }
        }
        #expect(written.values == Array(0..<50))
        #expect(order.count == 0)
    }

    @Test func writesOfOtherKeysDoNotWait() async {
        let gate = Gate()
        let first = order.turn(for: a), other = order.turn(for: b)
        async let slow: Void = order.write(in: first) { await gate.pass() }
        await gate.waitForArrivals(1)
        await order.write(in: other) {}
        #expect(order.count == 1)
        gate.open()
        await slow
        #expect(order.count == 0)
    }

    @Test func aWriteOfTwoKeysWaitsForBothAndIsWaitedForByBoth() async {
        let written = Log<String>()
        let turns = [
            order.turn(for: a), order.turn(for: b), order.turn(for: a, b), order.turn(for: b),
            order.turn(for: a),
        ]
        await withTaskGroup(of: Void.self) { group in
            for (index, turn) in turns.enumerated().reversed() {
                group.addTask { [order] in
                    await order.write(in: turn) { written.add("\(index)") }
                }
            }
        }
        let found = written.values
        #expect(Set(found.prefix(2)) == ["0", "1"])
        #expect(found.dropFirst(2).first == "2")
        #expect(Set(found.suffix(2)) == ["3", "4"])
    }

    @Test func aKeyNamedTwiceDoesNotWaitForItself() async {
        let turn = order.turn(for: a, a)
        await order.write(in: turn) {}
        #expect(order.count == 0)
    }
}
