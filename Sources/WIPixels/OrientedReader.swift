// SPDX-License-Identifier: MIT
package import WICore

/// Frames turned for display.
package final class OrientedReader: FrameReader {
    private let reader: any FrameReader
    private let orientation: Orientation

    package init(_ reader: any FrameReader, _ orientation: Orientation) {
        self.reader = reader
        self.orientation = orientation
    }

    package func frame(at index: Int, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try reader.frame(at: index, work).oriented(orientation)
    }
}
