// SPDX-License-Identifier: MIT
import Testing
import WICoders
import WITestKit

/// The rules that any coder is held to, ours included.
@Suite(.timeLimit(.minutes(5))) struct CoderConformanceTests {
    @Test func jpeg() { #expect(CoderConformance(JPEGCoder()).violations() == []) }
    @Test func png() { #expect(CoderConformance(PNGCoder(), isLossless: true).violations() == []) }
    @Test func webP() { #expect(CoderConformance(WebPCoder()).violations() == []) }
    @Test func gif() { #expect(CoderConformance(GIFCoder()).violations() == []) }
    @Test func pam() { #expect(CoderConformance(PAMCoder(), isLossless: true).violations() == []) }

    /// The checks themselves find what is wrong.
    @Test func aCoderThatIgnoresWhatIsAskedIsFound() {
        let found = CoderConformance(ToyCoder(), files: [ToyCoder.file()]).violations()
        #expect(found.contains { $0.contains("Encoding into one byte throws nothing") })
        #expect(found.contains { $0.contains("Decoding what was cancelled throws nothing") })
    }
}
