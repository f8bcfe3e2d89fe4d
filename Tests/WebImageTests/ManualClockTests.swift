// SPDX-License-Identifier: MIT
internal import Testing
internal import WICore
internal import WITestKit

@Suite(.timeLimit(.minutes(5)))
struct ManualClockTests {
    private let clock = ManualClock()

    @Test func timeStandsStillUntilItIsMoved() {
        let start = clock.now
        #expect(start.duration(to: clock.now) == .zero)
        clock.advance(by: .seconds(3))
        #expect(start.duration(to: clock.now) == .seconds(3))
    }

    @Test func aSleeperWakesWhenItsTimeHasCome() async throws {
        let clock = clock
        let sleep = Task { try await clock.sleep(for: .seconds(5)) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(4))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        #expect(clock.sleeperCount == 0)
        try await sleep.value
    }

    @Test func aSleepThatIsOverBeforeItBeginsDoesNotWait() async throws {
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(1)))
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancellingASleeperThrows() async throws {
        let clock = clock
        let sleep = Task { try await clock.sleep(for: .seconds(5)) }
        await clock.waitForSleepers()
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func itServesAsAnyClock() async throws {
        let any: any Clock<Duration> = clock
        let sleep = Task { try await any.sleep(for: .milliseconds(10)) }
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(10))
        try await sleep.value
        #expect(clock.sleeperCount == 0)
    }

    @Test func everySleeperUntilThatTimeIsWokenAndNoOther() async throws {
        let clock = clock
        let sleeps = [3, 1, 2].map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(2))
        #expect(clock.sleeperCount == 1)
        try await sleeps[1].value
        try await sleeps[2].value
        clock.advance(by: .seconds(1))
        try await sleeps[0].value
    }
}
