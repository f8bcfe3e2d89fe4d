// SPDX-License-Identifier: MIT

/// Width × height in whole pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int

    /// A size; nothing is checked.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width × height, or nil where that does not fit an `Int` or a side is negative.
    public var pixelCount: Int? {
        guard width >= 0, height >= 0 else { return nil }
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? nil : count
    }

    /// The size with its sides exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// For example `640x480`.
    public var description: String { "\(width)x\(height)" }

    /// The largest size with this aspect ratio that fits into `box`, never larger than this one.
    ///
    /// The dependent side is rounded to the nearest pixel and is never 0. A box side of 0 or less does not limit.
    public func fitting(_ box: PixelSize) -> PixelSize {
        let horizontal = box.width > 0 && width > 0 ? Double(box.width) / Double(width) : 1
        let vertical = box.height > 0 && height > 0 ? Double(box.height) / Double(height) : 1
        let factor = min(horizontal, vertical, 1)
        guard factor < 1 else { return self }
        return PixelSize(
            width: max(1, Int((Double(width) * factor).rounded())),
            height: max(1, Int((Double(height) * factor).rounded())))
    }
}
