// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A point on a canvas, in pixels from its upper left corner.
package struct Point: Hashable, Sendable {
    package var x: Float
    package var y: Float

    package init(_ x: Float, _ y: Float) {
        self.x = x
        self.y = y
    }

    /// The point at this angle (radians, clockwise from the right) and distance.
    package func moved(angle: Float, distance: Float) -> Point {
        Point(x + cosf(angle) * distance, y + sinf(angle) * distance)
    }
}

/// An upright rectangle on a canvas.
package struct Box: Hashable, Sendable {
    package var x: Float
    package var y: Float
    package var width: Float
    package var height: Float

    package init(_ x: Float, _ y: Float, _ width: Float, _ height: Float) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package var center: Point { Point(x + width / 2, y + height / 2) }

    /// Smaller by `margin` on each side; larger where it is negative.
    package func inset(_ margin: Float) -> Box {
        Box(x + margin, y + margin, width - 2 * margin, height - 2 * margin)
    }

    package func moved(_ dx: Float, _ dy: Float) -> Box { Box(x + dx, y + dy, width, height) }
}

/// A shape, known by the signed distance from its edge (negative inside), which makes smooth edges of any
/// shape.
package struct Shape {
    /// Nothing of the shape lies outside.
    package let bounds: Box
    package let distance: (_ x: Float, _ y: Float) -> Float

    package init(bounds: Box, distance: @escaping (Float, Float) -> Float) {
        self.bounds = bounds
        self.distance = distance
    }
}

extension Shape {
    package static func circle(_ center: Point, _ radius: Float) -> Shape {
        Shape(bounds: Box(center.x - radius, center.y - radius, 2 * radius, 2 * radius)) { x, y in
            hypotf(x - center.x, y - center.y) - radius
        }
    }

    package static func ring(_ center: Point, _ radius: Float, width: Float) -> Shape {
        let outer = radius + width / 2
        return Shape(bounds: Box(center.x - outer, center.y - outer, 2 * outer, 2 * outer)) { x, y in
            abs(hypotf(x - center.x, y - center.y) - radius) - width / 2
        }
    }

    package static func rounded(_ box: Box, _ radius: Float) -> Shape {
        let center = box.center
        let inner = (x: box.width / 2 - radius, y: box.height / 2 - radius)
        return Shape(bounds: box) { x, y in
            let dx = abs(x - center.x) - inner.x
            let dy = abs(y - center.y) - inner.y
            let outside = dx > 0 && dy > 0 ? hypotf(dx, dy) : max(dx, dy)
            return outside - radius
        }
    }

    package static func box(_ box: Box) -> Shape { rounded(box, 0) }

    /// The edge of a rounded rectangle, drawn along its inside.
    package static func frame(_ box: Box, _ radius: Float, width: Float) -> Shape {
        let outer = rounded(box, radius)
        return Shape(bounds: box) { x, y in abs(outer.distance(x, y) + width / 2) - width / 2 }
    }

    /// A line of round ends through these points.
    package static func line(_ points: [Point], width: Float) -> Shape {
        let xs = points.map(\.x)
        let ys = points.map(\.y)
        let left = xs.min() ?? 0
        let top = ys.min() ?? 0
        let bounds = Box(left, top, (xs.max() ?? 0) - left, (ys.max() ?? 0) - top).inset(-width / 2)
        return Shape(bounds: bounds) { x, y in
            var nearest = Float.infinity
            for index in 1..<max(points.count, 2) where points.count > 1 {
                nearest = min(nearest, squaredDistance(x, y, points[index - 1], points[index]))
            }
            return nearest.squareRoot() - width / 2
        }
    }

    private static func squaredDistance(_ x: Float, _ y: Float, _ a: Point, _ b: Point) -> Float {
        let length = (x: b.x - a.x, y: b.y - a.y)
        let offset = (x: x - a.x, y: y - a.y)
        let square = length.x * length.x + length.y * length.y
        let part = square > 0 ? max(0, min(1, (offset.x * length.x + offset.y * length.y) / square)) : 0
        let dx = offset.x - length.x * part
        let dy = offset.y - length.y * part
        return dx * dx + dy * dy
    }

    /// A convex polygon; its corners run clockwise as seen.
    package static func convex(_ corners: [Point]) -> Shape {
        let xs = corners.map(\.x)
        let ys = corners.map(\.y)
        let left = xs.min() ?? 0
        let top = ys.min() ?? 0
        let edges = corners.indices.map { index in
            let a = corners[index]
            let b = corners[(index + 1) % corners.count]
            let length = max(hypotf(b.x - a.x, b.y - a.y), .leastNormalMagnitude)
            return (x: a.x, y: a.y, nx: (b.y - a.y) / length, ny: (a.x - b.x) / length)
        }
        return Shape(bounds: Box(left, top, (xs.max() ?? 0) - left, (ys.max() ?? 0) - top)) { x, y in
            var farthest = -Float.infinity
            for edge in edges { farthest = max(farthest, (x - edge.x) * edge.nx + (y - edge.y) * edge.ny) }
            return farthest
        }
    }

    /// What lies under a line whose height is a function of x, down to `bottom`.
    package static func below(
        from left: Float, to right: Float, bottom: Float, _ top: @escaping (Float) -> Float
    ) -> Shape {
        let columns = (0...Int(max(0, right - left))).map { top(left + Float($0)) }
        let highest = columns.min() ?? bottom
        return Shape(bounds: Box(left, highest, right - left, bottom - highest)) { x, y in
            columns[max(0, min(columns.count - 1, Int(x - left)))] - y
        }
    }
}
