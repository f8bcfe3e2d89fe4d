// SPDX-License-Identifier: MIT
internal import WICore

/// A rectangle of whole pixels; `y` counts from the top.
public struct PixelRect: Hashable, Sendable, CustomStringConvertible {
    /// Columns left of it.
    public var x: Int
    /// Rows above it.
    public var y: Int
    /// Its columns.
    public var width: Int
    /// Its rows.
    public var height: Int

    /// A rectangle; nothing is checked.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// As X11 writes it: `300x200+10+20`.
    public var description: String {
        "\(width)x\(height)\(x < 0 ? "" : "+")\(x)\(y < 0 ? "" : "+")\(y)"
    }

    /// The part of it that a picture of `size` has; nil when there is none.
    func clipped(to size: PixelSize) -> PixelRect? {
        guard let columns = Self.clip(x, width, size.width), let rows = Self.clip(y, height, size.height)
        else {
            return nil
        }
        return PixelRect(
            x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func clip(_ start: Int, _ length: Int, _ side: Int) -> Range<Int>? {
        guard length > 0 else { return nil }
        let (sum, overflow) = start.addingReportingOverflow(length)
        let (first, end) = (max(0, start), min(side, overflow ? Int.max : sum))
        return first < end ? first..<end : nil
    }
}
