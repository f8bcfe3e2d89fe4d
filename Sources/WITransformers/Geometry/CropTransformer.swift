// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Cuts a part out of a picture; its pixels stay as they are.
public struct CropTransformer: Transformer, Hashable {
    /// Which part.
    public enum Part: Hashable, Sendable {
        /// A rectangle. What of it lies outside the picture is left away.
        case rect(PixelRect)
        /// As many pixels, or as many as there are, where the gravity says.
        case size(PixelSize, Gravity)
    }

    /// Which part.
    public let part: Part

    /// A transformer that cuts out a rectangle. One without a pixel of the picture is an error `invalidArgument` of the
    /// transform.
    public init(_ rect: PixelRect) { part = .rect(rect) }

    /// A transformer that cuts out a size. One without pixels is an error `invalidArgument` of the transform.
    ///
    /// - Parameters:
    ///   - size: The result's size; a side longer than the picture's becomes the picture's.
    ///   - gravity: What is kept. Default ``Gravity/center``.
    public init(_ size: PixelSize, gravity: Gravity = .center) { part = .size(size, gravity) }

    /// For example `crop(v1,300x200+10+20)` or `crop(v1,300x200,center)`.
    public var keyPart: KeyPart {
        switch part {
        case .rect(let rect): KeyPart("crop", "v1,\(rect)")
        case .size(let size, let gravity): KeyPart("crop", "v1,\(size),\(gravity.rawValue)")
        }
    }

    /// The part; the picture itself where that is all of it.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try work.checkCancellation(.transform)
        let wanted = try rect(in: pixels, work)
        guard let rect = wanted.clipped(to: pixels.size) else {
            throw ImageError(
                .invalidArgument, stage: .transform,
                "The part \(wanted) has no pixel of the picture of \(pixels.size).")
        }
        return try pixels.cropped(x: rect.x, y: rect.y, PixelSize(width: rect.width, height: rect.height))
    }

    /// The rectangle that a gravity finds in the first frame.
    ///
    /// - Throws: as ``transform(_:_:)``.
    public func settled(on pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> any Transformer {
        CropTransformer(try rect(in: pixels, work))
    }

    private func rect(in pixels: PixelBuffer, _ work: borrowing WorkContext) throws(ImageError) -> PixelRect {
        switch part {
        case .rect(let rect): return rect
        case .size(let size, let gravity):
            let (width, height) = (min(size.width, pixels.width), min(size.height, pixels.height))
            guard width > 0, height > 0 else { return PixelRect(x: 0, y: 0, width: width, height: height) }
            let anchor = try gravity.anchor(
                in: pixels, width: Double(width) / Double(pixels.width),
                height: Double(height) / Double(pixels.height), work)
            return PixelRect(
                x: Anchor.start(anchor.x, pixels.width - width),
                y: Anchor.start(anchor.y, pixels.height - height),
                width: width, height: height)
        }
    }
}
