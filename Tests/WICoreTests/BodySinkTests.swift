// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WITestKit

@testable import WICore

@Suite(.timeLimit(.minutes(5))) struct BodySinkTests {
    private func sink(
        limit: ByteCount = 1000, budget: BodyBudget = BodyBudget(capacity: .unlimited),
        coder: any ImageCoder = ToyCoder()
    ) -> BodySink {
        let judge = BodyJudge(coder: coder, limits: DecodeLimits())
        return BodySink(
            url: URL(string: "http://host/x"), limit: limit, budget: budget, judge: judge.judge,
            onProgress: { _, _ in })
    }

    @Test func theBodyIsWhatWasAppended() async throws {
        let sink = sink()
        try sink.begin(ResponseHead(status: 200, expectedLength: 10))
        for byte in ToyCoder.file() { try await sink.append(Data([byte])) }
        #expect(try sink.finish() == ToyCoder.file())
    }

    @Test func progressIsToldInStepsAndAtTheEnd() throws {
        for (step, expected, told) in [
            (0.25, 100, [10, 40, 70, 100]), (0, 100, Array(stride(from: 10, through: 100, by: 10))),
            (0.51, 100, [10, 70, 100]), (2, 100, [10, 100]),
            (0.25, nil, Array(stride(from: 10, through: 100, by: 10))),
        ] as [(Double, Int?, [Int])] {
            let seen = Locked<[Int]>([])
            let sink = BodySink(
                url: nil, limit: 1000, budget: BodyBudget(capacity: .unlimited), progressStep: step,
                judge: { (_, _) throws(ImageError) in true },
                onProgress: { received, _ in seen.withLock { $0.append(received) } })
            for _ in 0..<2 {
                seen.withLock { $0 = [] }
                try sink.begin(ResponseHead(status: 200, expectedLength: expected))
                for _ in 0..<10 { #expect(sink.offer(Data(count: 10).bytes) == .accepted) }
                #expect(seen.withLock { $0 } == told)
            }
        }
    }

    @Test func anAnnouncedLengthOverTheLimitEndsTheLoadBeforeItsBytes() {
        let sink = sink()
        let error = #expect(throws: ImageError.self) { try sink.begin(ResponseHead(expectedLength: 1001)) }
        #expect(error?.code == .bodyLimit)
        #expect(sink.offer(Data([1]).bytes) == .stop)
    }

    @Test func aBodyLongerThanTheLimitIsStopped() {
        let sink = sink(limit: 12)
        #expect(sink.offer(ToyCoder.file().bytes) == .accepted)
        #expect(sink.offer(Data(count: 3).bytes) == .stop)
        #expect(sink.failure?.code == .bodyLimit)
        #expect(
            sink.failure?.message.hasPrefix("The body is longer than the limit of 12 bytes; raise") == true)
        let announced = #expect(throws: ImageError.self) {
            try self.sink(limit: 12).begin(ResponseHead(expectedLength: 13))
        }
        #expect(
            announced?.message.hasPrefix("The body has 13 bytes, more than the limit of 12 bytes; raise")
                == true)
    }

    @Test(arguments: [true, false]) func aHugeClaimIsStoppedAtItsHead(inPixels: Bool) {
        let coder = ToyCoder()
        var limits = DecodeLimits()
        if inPixels { limits.pixels = 100 } else { limits.side = 100 }
        let judge = BodyJudge(coder: coder, limits: limits)
        let sink = BodySink(
            url: nil, limit: 1000, budget: BodyBudget(capacity: .unlimited), judge: judge.judge,
            onProgress: { _, _ in })
        #expect(sink.offer(ToyCoder.file(width: 200, height: 200).bytes) == .stop)
        #expect(sink.failure?.code == .dimensionLimit)
    }

    @Test func whatIsNoPictureIsStoppedAtItsFirstBytes() {
        let sink = sink()
        #expect(sink.offer(Data("<html><head>".utf8).bytes) == .accepted)
        #expect(sink.offer(Data("<title>x</title></head><body>nothing here</body>".utf8).bytes) == .accepted)
        #expect(throws: ImageError.self) { try sink.finish() }
        #expect(sink.failure?.code == .notAnImage)
    }

    @Test func bodiesOverTheBudgetPauseButTheOldestNeverDoes() {
        let budget = BodyBudget(capacity: 15)
        let first = sink(budget: budget), second = sink(budget: budget)
        let file = ToyCoder.file()
        #expect(first.offer(file.bytes) == .accepted)
        #expect(second.offer(file.bytes) == .pause)
        #expect(first.offer(file.bytes) == .accepted)
        let counter = Counter()
        second.onResume { counter.add() }
        #expect(counter.value == 0)
        first.cancel(.cancelled(.load))
        #expect(counter.value == 1)
        #expect(second.offer(file.bytes) == .accepted)
        #expect(budget.used == 10)
    }

    @Test func memoryIsGivenBackWithTheSink() {
        let budget = BodyBudget(capacity: 100)
        do {
            let sink = sink(budget: budget)
            #expect(sink.offer(ToyCoder.file().bytes) == .accepted)
            #expect(budget.used == 10)
        }
        #expect(budget.used == 0)
    }
}

private final class Counter: Sendable {
    private let count = Locked(0)
    func add() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
}
