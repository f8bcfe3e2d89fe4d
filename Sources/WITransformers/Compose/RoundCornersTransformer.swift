// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Corners of a picture.
public struct Corners: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// A set of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 15 }

    /// The upper left corner.
    public static let topLeft = Corners(rawValue: 1)
    /// The upper right corner.
    public static let topRight = Corners(rawValue: 2)
    /// The lower left corner.
    public static let bottomLeft = Corners(rawValue: 4)
    /// The lower right corner.
    public static let bottomRight = Corners(rawValue: 8)
    /// All four.
    public static let all = Corners(rawValue: 15)
}

/// Rounds corners off, or cuts out a circle, with a border where asked for. Edges are smooth; an opaque picture gets alpha.
public struct RoundCornersTransformer: Transformer, Hashable {
    /// What is left of the picture.
    public enum Shape: Hashable, Sendable {
        /// The picture with round corners of this radius in pixels, at most half its shorter side.
        case corners(radius: Double, Corners)
        /// The largest circle in the middle; the result is square.
        case circle
    }

    /// What is left of the picture.
    public let shape: Shape
    /// How wide a line goes along the inside of the edge, in pixels.
    public let borderWidth: Double
    /// The colour of the line.
    public let borderColor: SRGBColor

    /// A transformer.
    ///
    /// - Parameters:
    ///   - shape: What is left of the picture.
    ///   - borderWidth: How wide a line goes along the inside of the edge, in pixels. Default 0, none.
    ///   - borderColor: The colour of the line. Default black.
    ///
    /// Radius and width lie between 0 and a million; anything else is an error `invalidArgument` of the transform.
    public init(_ shape: Shape, borderWidth: Double = 0, borderColor: SRGBColor = .black) {
        self.shape = shape
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    /// A transformer that rounds corners of this radius in pixels.
    public init(
        radius: Double, corners: Corners = .all, borderWidth: Double = 0, borderColor: SRGBColor = .black
    ) {
        self.init(.corners(radius: radius, corners), borderWidth: borderWidth, borderColor: borderColor)
    }

    /// For example `roundCorners(v1,20/15)` or `roundCorners(v1,circle,2,0/0/0/1)`.
    public var keyPart: KeyPart {
        var value: String
        switch shape {
        case .corners(let radius, let corners): value = "v1,\(KeyPart.number(radius))/\(corners.rawValue)"
        case .circle: value = "v1,circle"
        }
        if borderWidth != 0 { value += ",\(KeyPart.number(borderWidth)),\(borderColor.key)" }
        return KeyPart("roundCorners", value)
    }

    /// The picture in its new shape.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        try Parameter.check(borderWidth, 0...1e6, "The border's width")
        try borderColor.check("the border")
        var source = pixels
        let outline: RoundedOutline
        switch shape {
        case .corners(let radius, let corners):
            try Parameter.check(radius, 0...1e6, "The radius")
            outline = RoundedOutline(pixels.size, radius: radius, corners)
        case .circle:
            let side = min(pixels.width, pixels.height)
            let square = PixelSize(width: side, height: side)
            source = try CropTransformer(square).transform(pixels, work)
            outline = RoundedOutline(square, radius: Double(side) / 2, .all)
        }
        let mode = pixels.alphaMode == .opaque ? AlphaMode.straight : pixels.alphaMode
        let (line, width) = (borderColor.premultiplied, Float(borderWidth))
        return try source.mapped(as: .premultiplied, to: mode, work) { row, y in
            for x in row.indices {
                let distance = outline.distance(x, y)
                let inside = min(max(0.5 - distance, 0), 1)
                let rest = width > 0 ? min(max(0.5 - width - distance, 0), 1) : inside
                let stroke = line * (inside - rest)
                row[x] = stroke + row[x] * (inside - stroke.w)
            }
        }
    }
}

/// The outline of a rectangle with round corners.
private struct RoundedOutline: Sendable {
    private let half: SIMD2<Float>
    /// Radii of the upper left, upper right, lower left and lower right corner.
    private let radii: SIMD4<Float>

    init(_ size: PixelSize, radius: Double, _ corners: Corners) {
        half = SIMD2(Float(size.width), Float(size.height)) / 2
        let radius = min(Float(radius), half.min())
        radii = SIMD4(
            corners.contains(.topLeft) ? radius : 0, corners.contains(.topRight) ? radius : 0,
            corners.contains(.bottomLeft) ? radius : 0, corners.contains(.bottomRight) ? radius : 0)
    }

    /// How far outside the outline the centre of a pixel lies; negative inside.
    func distance(_ x: Int, _ y: Int) -> Float {
        let offset = SIMD2(Float(x) + 0.5, Float(y) + 0.5) - half
        let radius = radii[(offset.y < 0 ? 0 : 2) + (offset.x < 0 ? 0 : 1)]
        let beyond = pointwiseMax(offset, -offset) - half + radius
        let corner = pointwiseMax(beyond, .zero)
        return min(beyond.max(), 0) + (corner * corner).sum().squareRoot() - radius
    }
}
