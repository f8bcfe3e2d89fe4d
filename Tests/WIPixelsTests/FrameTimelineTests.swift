// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WIPixels

struct FrameTimelineTests {
    private let canvas = PixelSize(width: 10, height: 10)

    private func step(
        _ disposal: FrameStep.Disposal, _ coverage: FrameStep.Coverage, whole: Bool = true
    ) -> FrameStep {
        let side = whole ? 10 : 3
        return FrameStep(
            area: FrameArea(x: 0, y: 0, width: side, height: side, on: canvas), disposal: disposal,
            coverage: coverage)
    }

    private func keys(_ steps: [FrameStep]) -> [Int] {
        let timeline = FrameTimeline(steps, canvas: canvas)
        return steps.indices.map { timeline.key(for: $0) }
    }

    @Test func `a frame that covers and replaces the canvas stands alone, one that blends does not`() {
        #expect(keys([step(.keep, .opaque), step(.keep, .opaque), step(.keep, .blends)]) == [0, 1, 1])
        #expect(
            keys([step(.keep, .opaque), step(.keep, .replaces), step(.keep, .replaces, whole: false)]) == [
                0, 1, 1,
            ])
    }

    @Test func `the canvas after a frame that is cleared as a whole is a new beginning`() {
        #expect(keys([step(.clear, .blends), step(.keep, .blends)]) == [0, 1])
        #expect(
            keys([
                step(.clear, .blends, whole: false), step(.clear, .blends, whole: false),
                step(.keep, .blends),
            ])
                == [0, 1, 2])
        #expect(
            keys([
                step(.keep, .blends), step(.clear, .blends, whole: false), step(.keep, .blends, whole: false),
            ])
                == [0, 0, 0])
    }

    @Test func `a frame that restores stands alone only where there was nothing`() {
        #expect(keys([step(.restore, .blends), step(.keep, .blends)]) == [0, 1])
        #expect(keys([step(.keep, .opaque), step(.restore, .opaque), step(.keep, .blends)]) == [0, 0, 0])
    }

    @Test func `frames are always opaque only where none can show the empty canvas`() {
        let opaque = step(.keep, .opaque)
        let cases: [([FrameStep], Bool)] = [
            ([opaque, step(.keep, .blends), step(.restore, .opaque), step(.clear, .opaque)], true),
            ([opaque, step(.clear, .opaque), opaque], false), ([step(.keep, .blends), opaque], false),
            ([step(.keep, .opaque, whole: false), opaque], false), ([opaque, step(.keep, .replaces)], false),
            ([step(.restore, .opaque), opaque], false), ([step(.restore, .opaque)], true), ([], false),
        ]
        for (steps, isOpaque) in cases {
            #expect(FrameTimeline(steps, canvas: canvas).isAlwaysOpaque == isOpaque)
        }
    }

    @Test func `areas are clipped to the canvas, and those outside are none`() {
        let clipped = FrameArea(x: 8, y: 9, width: 65_535, height: 5, on: canvas)
        #expect(clipped?.width == 2 && clipped?.height == 1)
        #expect(FrameArea(x: 10, y: 0, width: 1, height: 1, on: canvas) == nil)
        #expect(FrameArea(x: 0, y: 0, width: 0, height: 1, on: canvas) == nil)
        #expect(FrameArea(x: -1, y: 0, width: 5, height: 1, on: canvas) == nil)
    }
}
