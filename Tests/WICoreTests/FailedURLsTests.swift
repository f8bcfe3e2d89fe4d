// SPDX-License-Identifier: MIT
import Testing

@testable import WICore

@Suite struct FailedURLsTests {
    private let error = ImageError(.corruptData, stage: .decode, "Damaged.")

    @Test func aFailureIsRememberedWithItsReasonForItsTime() {
        var failed = FailedURLs()
        failed.add("a", error, until: .seconds(10))
        #expect(failed.reason("a", at: .seconds(9)) == error)
        #expect(failed.reason("a", at: .seconds(10)) == nil)
        #expect(failed.reason("b", at: .zero) == nil)
        failed.remove("a")
        #expect(failed.reason("a", at: .zero) == nil)
    }

    @Test func theTableIsBoundedAndTheOldestGoes() {
        var failed = FailedURLs(capacity: 3)
        for number in 0..<1000 { failed.add("\(number)", error, until: .seconds(10)) }
        #expect(failed.count == 3)
        #expect(failed.reason("999", at: .zero) != nil)
        #expect(failed.reason("996", at: .zero) == nil)
        for _ in 0..<100 { failed.add("same", error, until: .seconds(10)) }
        #expect(failed.reason("same", at: .zero) != nil)
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
