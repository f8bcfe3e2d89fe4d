// SPDX-License-Identifier: MIT
package import WICore

/// A picture that is being drawn: shapes with smooth edges, pictures, text.
///
/// Made for clarity, not for speed.
package struct Canvas: ~Copyable {
    private var pixels: MutablePixels
    package let width: Int
    package let height: Int

    /// A canvas of one colour; its pixels have straight alpha.
    package init(width: Int, height: Int, _ background: Ink = .clear) throws(ImageError) {
        pixels = try MutablePixels(width: width, height: height)
        self.width = width
        self.height = height
        if background.alpha > 0 { fill(rows: { _ in background }) }
    }

    /// The whole area.
    package var box: Box { Box(0, 0, Float(width), Float(height)) }

    /// Ends the drawing.
    ///
    /// `isOpaque` is the caller's word that no pixel is transparent.
    package consuming func publish(isOpaque: Bool) -> PixelBuffer {
        pixels.alphaMode = isOpaque ? .opaque : .straight
        return pixels.publish()
    }

    /// Sets every row to one colour, by its middle's height from 0 to 1: skies.
    package mutating func fill(rows ink: (_ part: Float) -> Ink) {
        let (width, height) = (width, height)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                let row = UnsafeMutableRawBufferPointer(rebasing: bytes[y * width * 4..<(y + 1) * width * 4])
                let word = Self.word(ink((Float(y) + 0.5) / Float(height)))
                row.withMemoryRebound(to: UInt32.self) { $0.update(repeating: word) }
            }
        }
    }

    /// Sets every pixel by a function of its place.
    package mutating func set(_ ink: (_ x: Int, _ y: Int) -> Ink) {
        let (width, height) = (width, height)
        pixels.withUnsafeMutableBytes { bytes in
            var offset = 0
            for y in 0..<height {
                for x in 0..<width {
                    bytes.storeBytes(of: Self.word(ink(x, y)), toByteOffset: offset, as: UInt32.self)
                    offset += 4
                }
            }
        }
    }

    /// Draws a filled shape over what is there.
    package mutating func draw(_ shape: Shape, _ fill: Fill) {
        let columns = range(shape.bounds.x, shape.bounds.width, width)
        let rows = range(shape.bounds.y, shape.bounds.height, height)
        let width = width
        pixels.withUnsafeMutableBytes { bytes in
            for y in rows {
                for x in columns {
                    let (middleX, middleY) = (Float(x) + 0.5, Float(y) + 0.5)
                    let coverage = 0.5 - shape.distance(middleX, middleY)
                    guard coverage > 0 else { continue }
                    let ink = fill.ink(middleX, middleY)
                    Self.blend(ink, min(1, coverage), bytes, (y * width + x) * 4)
                }
            }
        }
    }

    /// Draws a shape in one colour.
    package mutating func draw(_ shape: Shape, _ ink: Ink) { draw(shape, .solid(ink)) }

    /// Draws a picture (RGBA of 8 bits) with its upper left corner at a place, its corners rounded.
    package mutating func draw(_ picture: PixelBuffer, x left: Int, y top: Int, radius: Float = 0) {
        guard picture.format == .rgba8 else { return }
        if radius == 0, picture.alphaMode == .opaque { return copy(picture, left, top) }
        let mask = Shape.rounded(
            Box(Float(left), Float(top), Float(picture.width), Float(picture.height)), radius)
        let (width, height) = (width, height)
        let mayBeClear = picture.alphaMode != .opaque
        pixels.withUnsafeMutableBytes { target in
            picture.withUnsafeBytes { source in
                for y in max(0, -top)..<max(max(0, -top), min(picture.height, height - top)) {
                    for x in max(0, -left)..<max(max(0, -left), min(picture.width, width - left)) {
                        let from = y * picture.bytesPerRow + x * 4
                        let to = ((top + y) * width + left + x) * 4
                        let coverage = 0.5 - mask.distance(Float(left + x) + 0.5, Float(top + y) + 0.5)
                        if coverage >= 1 && !mayBeClear {
                            target.storeBytes(
                                of: source.loadUnaligned(fromByteOffset: from, as: UInt32.self),
                                toByteOffset: to, as: UInt32.self)
                        } else if coverage > 0 {
                            Self.blend(Self.ink(source, from), min(1, coverage), target, to)
                        }
                    }
                }
            }
        }
    }
}

extension Canvas {
    /// The fast way for what covers everything beneath it.
    private mutating func copy(_ picture: PixelBuffer, _ left: Int, _ top: Int) {
        let columns = max(0, -left)..<max(max(0, -left), min(picture.width, width - left))
        let rows = max(0, -top)..<max(max(0, -top), min(picture.height, height - top))
        let width = width
        pixels.withUnsafeMutableBytes { target in
            picture.withUnsafeBytes { source in
                for y in rows {
                    let from = y * picture.bytesPerRow + columns.lowerBound * 4
                    let to = ((top + y) * width + left + columns.lowerBound) * 4
                    UnsafeMutableRawBufferPointer(rebasing: target[to..<to + columns.count * 4]).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: source[from..<from + columns.count * 4]))
                }
            }
        }
    }

    private func range(_ start: Float, _ length: Float, _ limit: Int) -> Range<Int> {
        let low = max(0, min(limit, Int((start - 1).rounded(.down))))
        return low..<max(low, min(limit, Int((start + length + 1).rounded(.up))))
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value * 255 + 0.5))) }

    private static func word(_ ink: Ink) -> UInt32 {
        UInt32(
            littleEndian: UInt32(byte(ink.red)) | UInt32(byte(ink.green)) << 8 | UInt32(byte(ink.blue)) << 16
                | UInt32(byte(ink.alpha)) << 24)
    }

    private static func ink(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Ink {
        Ink(
            Float(bytes[offset]) / 255, Float(bytes[offset + 1]) / 255, Float(bytes[offset + 2]) / 255,
            Float(bytes[offset + 3]) / 255)
    }

    /// “Over” of Porter and Duff, on values that are not premultiplied.
    private static func blend(
        _ ink: Ink, _ coverage: Float, _ bytes: UnsafeMutableRawBufferPointer, _ offset: Int
    ) {
        let alpha = ink.alpha * coverage
        if alpha >= 0.999 { return bytes.storeBytes(of: word(ink), toByteOffset: offset, as: UInt32.self) }
        let below = Self.ink(UnsafeRawBufferPointer(bytes), offset)
        let rest = below.alpha * (1 - alpha)
        let total = alpha + rest
        guard total > 0 else { return }
        let mixed = Ink(
            (ink.red * alpha + below.red * rest) / total, (ink.green * alpha + below.green * rest) / total,
            (ink.blue * alpha + below.blue * rest) / total, total)
        bytes.storeBytes(of: word(mixed), toByteOffset: offset, as: UInt32.self)
    }
}
