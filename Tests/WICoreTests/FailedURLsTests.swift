// SPDX-License-Identifier: MIT
import Testing

@testable import WICore

@Suite struct FailedURLsTests {
    private func load(_ url: String, wire: String = "") -> FailedLoad {
        let any = ObjectIdentifier(FailedURLsTests.self)
        return FailedLoad(url: url, wire: wire, loader: any, coder: any, limits: DecodeLimits())
    }

    private let error = ImageError(.corruptData, stage: .decode, "Damaged.")

    @Test func aFailureIsRememberedWithItsReasonForItsTime() {
        var failed = FailedURLs()
        failed.add(load("a"), error, until: .seconds(10))
        #expect(failed.reason(load("a"), at: .seconds(9)) == error)
        #expect(failed.reason(load("a"), at: .seconds(10)) == nil)
        #expect(failed.reason(load("b"), at: .zero) == nil)
        failed.remove(load("a"))
        #expect(failed.reason(load("a"), at: .zero) == nil)
    }

    @Test func aFailureIsThatOfItsOwnLoadAndForgottenByURL() {
        var failed = FailedURLs()
        failed.add(load("a", wire: "with a key"), error, until: .seconds(10))
        failed.add(load("a", wire: "without"), error, until: .seconds(10))
        #expect(failed.reason(load("a", wire: "otherwise"), at: .zero) == nil)
        failed.removeAll(of: "a")
        #expect(failed.count == 0)
    }

    @Test func theTableIsBoundedAndTheOldestGoes() {
        var failed = FailedURLs(capacity: 3)
        for number in 0..<1000 { failed.add(load("\(number)"), error, until: .seconds(10)) }
        #expect(failed.count == 3)
        #expect(failed.reason(load("999"), at: .zero) != nil)
        #expect(failed.reason(load("996"), at: .zero) == nil)
        for _ in 0..<100 { failed.add(load("same"), error, until: .seconds(10)) }
        #expect(failed.reason(load("same"), at: .zero) != nil)
        #expect(failed.count <= 3)
    }

    @Test func contentAndAbsenceBlockButTheNetworkDoesNot() {
        #expect(error.defaultBlockingTime == .seconds(300))
        let missing = ImageError(.httpStatus, stage: .load, "Not there.", httpStatus: 404)
        #expect(missing.defaultBlockingTime == .seconds(60))
        let failing = ImageError(.httpStatus, stage: .load, "Failing.", httpStatus: 500)
        #expect(failing.defaultBlockingTime == nil)
        for code in [ImageError.Code.timeout, .network, .hostNotFound, .cancelled, .incompleteBody] {
            #expect(ImageError(code, stage: .load, "It failed.").defaultBlockingTime == nil)
        }
    }
}
