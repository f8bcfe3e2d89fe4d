// SPDX-License-Identifier: MIT
import Testing

@testable import WIPixels

@Suite struct QualitySearchTests {
    /// The best of the qualities tried, and how many were, where those up to `fitting` keep to the limit.
    private func search(highest: Int, fitting: Int) -> (best: Int?, tried: Int) {
        var search = QualitySearch(highest: highest)
        var (best, tried): (Int?, Int) = (nil, 0)
        while let quality = search.next {
            tried += 1
            if quality <= fitting { best = max(best ?? 0, quality) }
            search.note(fits: quality <= fitting)
        }
        return (best, tried)
    }

    @Test(arguments: [1, 2, 3, 50, 85, 100]) func everyBoundaryIsFound(_ highest: Int) {
        for fitting in 0...101 {
            let found = search(highest: highest, fitting: fitting)
            #expect(found.best == (fitting == 0 ? nil : min(fitting, highest)))
            #expect(found.tried <= 8)
        }
    }

    @Test func whatFitsAtOnceIsTriedOnce() {
        #expect(search(highest: 85, fitting: 85).tried == 1)
    }
}
