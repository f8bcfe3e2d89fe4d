// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WIPixels

/// Counts how often each frame is painted.
private final class PaintCounter: FramePainter {
    let painted = Locked<[Int]>([])

    func paint(
        _ index: Int, onto canvas: UnsafeMutableRawBufferPointer, bytesPerRow: Int, standsAlone: Bool,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        painted.withLock { $0.append(index) }
        return true
    }
}

struct ArrivingFramesTests {
    private let canvas = PixelSize(width: 4, height: 4)

    private func step(_ coverage: FrameStep.Coverage = .blends) -> FrameStep {
        FrameStep(
            area: FrameArea(x: 0, y: 0, width: 4, height: 4, on: canvas), disposal: .keep, coverage: coverage)
    }

    private func frames(_ limits: DecodeLimits = DecodeLimits()) throws -> ArrivingFrames {
        let finish = PictureFinish(DecodeOptions(), size: canvas)
        return try ArrivingFrames(canvas: canvas, finish, limits, .gif, seen: 1)
    }

    @Test func `each of a thousand frames is painted once, however often it is asked for`() throws {
        var frames = try frames()
        let painter = PaintCounter()
        var shown = 0
        for index in 0..<1000 {
            try frames.append(step())
            for _ in 0...index % 3 where try frames.newest(painter, WorkContext()) != nil { shown += 1 }
        }
        #expect(painter.painted.withLock { $0 } == Array(0..<1000))
        #expect(shown == 999)
    }

    @Test func `frames that came together are painted from the last one that stands alone`() throws {
        var frames = try frames()
        let painter = PaintCounter()
        for coverage in [FrameStep.Coverage.opaque, .blends, .opaque, .blends] {
            try frames.append(step(coverage))
        }
        #expect(try frames.newest(painter, WorkContext()) != nil)
        #expect(painter.painted.withLock { $0 } == [2, 3])
    }

    @Test func `limits hold`() throws {
        var limits = DecodeLimits()
        limits.compositedPixels = 40
        var frames = try frames(limits)
        try frames.append(step())
        try frames.append(step())
        #expect(throws: ImageError.self) { try frames.append(step()) }
        limits = DecodeLimits()
        limits.frames = 1
        frames = try self.frames(limits)
        try frames.append(step())
        #expect(throws: ImageError.self) { try frames.append(step()) }
    }
}
