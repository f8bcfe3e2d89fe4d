// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What a shape is filled with: a colour for each point.
package struct Fill {
    package let ink: (_ x: Float, _ y: Float) -> Ink

    package init(_ ink: @escaping (Float, Float) -> Ink) { self.ink = ink }

    package static func solid(_ ink: Ink) -> Fill { Fill { _, _ in ink } }

    /// Colours at equal distances on the way from one point to another.
    package static func linear(_ from: Point, _ to: Point, _ inks: Ink...) -> Fill {
        let way = (x: to.x - from.x, y: to.y - from.y)
        let square = max(way.x * way.x + way.y * way.y, .leastNormalMagnitude)
        return Fill { x, y in
            pick(inks, ((x - from.x) * way.x + (y - from.y) * way.y) / square)
        }
    }

    /// Colours at equal distances from a middle point to `radius`.
    package static func radial(_ center: Point, _ radius: Float, _ inks: Ink...) -> Fill {
        Fill { x, y in pick(inks, hypotf(x - center.x, y - center.y) / radius) }
    }

    private static func pick(_ inks: [Ink], _ part: Float) -> Ink {
        guard let last = inks.last, inks.count > 1 else { return inks.first ?? .clear }
        let position = max(0, min(1, part)) * Float(inks.count - 1)
        let index = Int(position)
        return index + 1 < inks.count
            ? inks[index].mixed(with: inks[index + 1], position - Float(index)) : last
    }
}
