// SPDX-License-Identifier: MIT
import Testing
import WICore

@testable import WIPixels

/// Paints a frame's area with its number, and counts what it painted.
private final class CountingPainter: FramePainter {
    let painted = Locked<[Int]>([])
    private let steps: [FrameStep]

    init(_ steps: [FrameStep]) { self.steps = steps }

    func paint(
        _ index: Int, onto canvas: UnsafeMutableRawBufferPointer, bytesPerRow: Int, standsAlone: Bool,
        _ work: borrowing WorkContext
    ) throws(ImageError) -> Bool {
        painted.withLock { $0.append(index) }
        guard let area = steps[index].area else { return true }
        for y in area.y..<area.y + area.height {
            for byte in y * bytesPerRow + area.x * 4..<y * bytesPerRow + (area.x + area.width) * 4 {
                canvas[byte] = UInt8(index + 1)
            }
        }
        return true
    }
}

struct CompositingReaderTests {
    private let canvas = PixelSize(width: 3, height: 2)

    private func reader(
        _ steps: [(x: Int, width: Int, FrameStep.Disposal, FrameStep.Coverage)]
    ) throws -> (CompositingReader, CountingPainter) {
        let steps = steps.map { x, width, disposal, coverage in
            FrameStep(
                area: FrameArea(x: x, y: 0, width: width, height: 2, on: canvas), disposal: disposal,
                coverage: coverage)
        }
        let painter = CountingPainter(steps)
        return (
            try CompositingReader(FrameTimeline(steps, canvas: canvas), DecodeOptions(), painter), painter
        )
    }

    /// The first byte of each pixel of the second row.
    private func row(_ reader: CompositingReader, _ index: Int) throws -> [UInt8] {
        try reader.frame(at: index, WorkContext()).withUnsafeBytes { [$0[12], $0[16], $0[20]] }
    }

    @Test func `disposals leave the canvas that they name, and frames in order are painted once each`() throws
    {
        let (reader, painter) = try reader([
            (0, 3, .keep, .opaque), (1, 2, .restore, .blends), (0, 1, .clear, .blends),
            (9, 1, .clear, .blends),
            (2, 1, .keep, .blends),
        ])
        let rows = try (0..<5).map { try row(reader, $0) }
        #expect(rows == [[1, 1, 1], [1, 2, 2], [3, 1, 1], [0, 1, 1], [0, 1, 5]])
        #expect(painter.painted.withLock { $0 } == [0, 1, 2, 4])
    }

    @Test func `the same frame again is not painted again, and going back begins at the last key`() throws {
        let (reader, painter) = try reader([
            (0, 3, .keep, .opaque), (0, 1, .keep, .blends), (0, 3, .keep, .opaque), (1, 1, .keep, .blends),
            (2, 1, .keep, .blends),
        ])
        _ = try row(reader, 4)
        _ = try row(reader, 4)
        #expect(painter.painted.withLock { $0 } == [2, 3, 4])
        #expect(try row(reader, 3) == [3, 4, 3])
        #expect(painter.painted.withLock { $0 } == [2, 3, 4, 2, 3])
        #expect(try row(reader, 1) == [2, 1, 1])
        #expect(painter.painted.withLock { $0 } == [2, 3, 4, 2, 3, 0, 1])
    }

    @Test func `a frame that is handed over stays as it is while the reader goes on`() throws {
        let (reader, _) = try reader([(0, 3, .keep, .opaque), (0, 3, .keep, .opaque)])
        let first = try reader.frame(at: 0, WorkContext())
        _ = try reader.frame(at: 1, WorkContext())
        #expect(first.withUnsafeBytes { $0.allSatisfy { $0 == 1 } } && first.alphaMode == .opaque)
    }
}
