// SPDX-License-Identifier: MIT

/// A number of bytes, so that bytes, pixels and seconds are not mixed up.
public struct ByteCount: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible
{
    /// The number.
    public var bytes: Int

    /// That many bytes.
    public init(_ bytes: Int) { self.bytes = bytes }

    /// That many bytes.
    public init(integerLiteral value: Int) { bytes = value }

    /// No bytes.
    public static let zero = ByteCount(0)
    /// As good as without limit.
    public static let unlimited = ByteCount(.max)

    /// `count` × 1,024 bytes; the largest number where that overflows.
    public static func kibibytes(_ count: Int) -> ByteCount { saturating(count, 1 << 10) }
    /// `count` × 1,048,576 bytes; the largest number where that overflows.
    public static func mebibytes(_ count: Int) -> ByteCount { saturating(count, 1 << 20) }
    /// `count` × 1,073,741,824 bytes; the largest number where that overflows.
    public static func gibibytes(_ count: Int) -> ByteCount { saturating(count, 1 << 30) }

    /// The product of all factors, or `unlimited` where it overflows or a factor is negative.
    public static func saturating(_ factors: Int...) -> ByteCount {
        var product = 1
        for factor in factors {
            let (next, overflow) = product.multipliedReportingOverflow(by: factor)
            if overflow || factor < 0 { return .unlimited }
            product = next
        }
        return ByteCount(product)
    }

    /// The sum, or `unlimited` where it overflows.
    public static func + (left: ByteCount, right: ByteCount) -> ByteCount {
        let (sum, overflow) = left.bytes.addingReportingOverflow(right.bytes)
        return overflow ? .unlimited : ByteCount(sum)
    }

    /// The difference, not below zero.
    public static func - (left: ByteCount, right: ByteCount) -> ByteCount {
        ByteCount(max(0, left.bytes - right.bytes))
    }

    /// By number.
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

    /// For example `512 bytes`, `20.0 KiB`, `64.0 MiB`.
    public var description: String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        guard bytes >= 1024 else { return "\(bytes) bytes" }
        var value = Double(bytes) / 1024
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(fixedPoint(value, decimals: 1)) \(units[unit])"
    }
}
