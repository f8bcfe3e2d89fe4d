// SPDX-License-Identifier: MIT
import FoundationEssentials
import Testing
import WICore

@testable import WILoaderCurl

/// Limits of time, and of starts in a time: the pure values.
struct TransferTimesTests {
    private func times(
        total: Duration? = nil, _ change: (inout CurlLoaderConfiguration) -> Void = { _ in }
    ) throws -> TransferTimes {
        var configuration = CurlLoaderConfiguration()
        change(&configuration)
        var request = LoadRequest(url: try #require(URL(string: "http://a.example/")))
        request.totalTimeout = total
        return TransferTimes(TransferLimits(request, configuration, now: .zero))
    }

    @Test func theFirstLimitCounts() throws {
        var times = try times(total: .seconds(60)) {
            $0.firstByteTimeout = .seconds(5)
            $0.lowSpeedLimit = LowSpeedLimit(1000, per: .seconds(8))
        }
        #expect(times.deadline?.kind == .total)
        times.start(.seconds(10))
        #expect(times.deadline == .init(at: .seconds(15), limit: .seconds(5), kind: .firstByte))
        times.touch(.seconds(12), bytes: 100)
        #expect(times.deadline == .init(at: .seconds(18), limit: .seconds(8), kind: .lowSpeed))
        times.pause()
        #expect(times.deadline?.kind == .total)
        times.resume(.seconds(50))
        #expect(times.deadline == .init(at: .seconds(58), limit: .seconds(8), kind: .lowSpeed))
        times.stop(retry: (.seconds(55), .seconds(2)))
        #expect(times.deadline == .init(at: .seconds(55), limit: .seconds(2), kind: .retry))
        times.stop()
        #expect(times.deadline?.kind == .total)
    }

    @Test func silenceIsMeasuredFromTheLastByte() throws {
        var times = try times()
        #expect(times.deadline == nil)
        times.start(.zero)
        times.touch(.seconds(9), bytes: 1)
        #expect(times.deadline == .init(at: .seconds(24), limit: .seconds(15), kind: .silence))
    }

    @Test func aSpeedThatIsKeptIsMeasuredAnew() throws {
        var times = try times {
            $0.inactivityTimeout = .seconds(100)
            $0.lowSpeedLimit = LowSpeedLimit(1000, per: .seconds(8))
        }
        times.start(.zero)
        times.touch(.seconds(1), bytes: 999)
        let answer1 = times.isFastEnough(.seconds(8))
        #expect(!answer1)
        times.touch(.seconds(2), bytes: 1)
        let answer2 = times.isFastEnough(.seconds(8))
        #expect(answer2)
        #expect(times.deadline?.at == .seconds(16))
        let answer3 = times.isFastEnough(.seconds(16))
        #expect(!answer3)
    }

    @Test func startsAreSavedUpForASecond() throws {
        var rate = try #require(StartRate(perSecond: 4))
        let answer4 = rate.allowance(.zero)
        #expect(answer4 == 4)
        rate.take(4)
        let answer5 = rate.allowance(.milliseconds(200))
        #expect(answer5 == 0)
        #expect(rate.next == .milliseconds(250))
        let answer6 = rate.allowance(.milliseconds(250))
        #expect(answer6 == 1)
        rate.take(1)
        let answer7 = rate.allowance(.seconds(100))
        #expect(answer7 == 4)
    }

    @Test func lessThanOneStartInASecondIsPossible() throws {
        var rate = try #require(StartRate(perSecond: 0.1))
        let answer8 = rate.allowance(.zero)
        #expect(answer8 == 1)
        rate.take(1)
        let answer9 = rate.allowance(.seconds(9))
        #expect(answer9 == 0)
        #expect(rate.next == .seconds(10))
        let answer10 = rate.allowance(.seconds(10))
        #expect(answer10 == 1)
    }

    @Test(arguments: [nil, 0, -1, .nan, .infinity] as [Double?])
    func whatIsNoRateIsNoLimit(_ value: Double?) { #expect(StartRate(perSecond: value) == nil) }
}
