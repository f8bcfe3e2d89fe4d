// SPDX-License-Identifier: MIT
public import WICore
internal import WIPixels

/// Lays a picture over another: a watermark, a badge, a play button.
public struct OverlayTransformer: Transformer {
    /// What is laid over.
    public let overlay: PixelBuffer
    /// Where it goes.
    public let gravity: Gravity
    /// Pixels between it and the edges that the gravity names; those of the middle are not moved.
    public let inset: Int
    /// How much of it is to be seen, from 0 to 1.
    public let opacity: Double
    /// How its colours mix with those below.
    public let mode: BlendMode
    private let digest: PixelDigest

    /// A transformer. Reads every pixel of `overlay` once, for the key.
    ///
    /// - Parameters:
    ///   - overlay: What is laid over, in pixels of the picture below; what sticks out is cut off.
    ///   - gravity: Where it goes. Default the lower right corner.
    ///   - inset: Pixels between it and the edges that the gravity names. Default 0.
    ///   - opacity: How much of it is to be seen. Default 1, all of it.
    ///   - mode: How its colours mix with those below. Default ``BlendMode/normal``.
    ///
    /// An opacity that does not lie between 0 and 1, or an inset beyond a million, is an error `invalidArgument` of the
    /// transform.
    public init(
        _ overlay: PixelBuffer, gravity: Gravity = .bottomRight, inset: Int = 0, opacity: Double = 1,
        mode: BlendMode = .normal
    ) {
        self.overlay = overlay
        self.gravity = gravity
        self.inset = inset
        self.opacity = opacity
        self.mode = mode
        digest = PixelDigest(overlay)
    }

    /// Place, opacity, mode, and a digest of the overlay's pixels of 128 bits.
    public var keyPart: KeyPart {
        KeyPart(
            "overlay",
            "v1,\(digest),\(gravity.rawValue),\(inset),\(KeyPart.number(opacity)),\(mode.rawValue)")
    }

    /// The picture with the other one over it, in its own format and alpha mode.
    ///
    /// - Throws: ``ImageError`` with code `invalidArgument`, `outOfMemory` or `cancelled`.
    public func transform(_ pixels: PixelBuffer, _ work: borrowing WorkContext) throws -> PixelBuffer {
        try Parameter.check(opacity, 0...1, "The overlay's opacity")
        try Parameter.checkFinite(Double(inset), "The overlay's inset")
        let (left, top) = place(in: pixels.size)
        let rect = PixelRect(x: left, y: top, width: overlay.width, height: overlay.height)
        guard let seen = rect.clipped(to: pixels.size) else { return pixels }
        let (strength, overlay, mode) = (Float(opacity), overlay, mode)
        return try pixels.mapped(as: .premultiplied, work) { row, y in
            guard y >= seen.y, y < seen.y + seen.height else { return }
            withUnsafeTemporaryAllocation(of: PixelColor.self, capacity: seen.width) { upper in
                overlay.read(upper, x: seen.x - left, y: y - top, as: .premultiplied)
                for x in upper.indices { row[seen.x + x] = mode.over(row[seen.x + x], upper[x] * strength) }
            }
        }
    }

    private func place(in size: PixelSize) -> (left: Int, top: Int) {
        let anchor = gravity.anchor
        func start(_ share: Double, _ room: Int) -> Int {
            let moved = share == 0 ? inset : share == 1 ? -inset : 0
            return Anchor.start(share, room) + moved
        }
        return (start(anchor.x, size.width - overlay.width), start(anchor.y, size.height - overlay.height))
    }
}
