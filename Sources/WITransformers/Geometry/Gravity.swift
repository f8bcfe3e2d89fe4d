// SPDX-License-Identifier: MIT
internal import WICore
internal import WIPixels

/// What of a picture is kept where something has to go, or where in a larger area something is put.
public enum Gravity: String, Hashable, Sendable, CaseIterable {
    /// The middle. The default.
    case center
    /// The middle of the upper edge.
    case top
    /// The middle of the lower edge.
    case bottom
    /// The middle of the left edge.
    case left
    /// The middle of the right edge.
    case right
    /// The upper left corner.
    case topLeft
    /// The upper right corner.
    case topRight
    /// The lower left corner.
    case bottomLeft
    /// The lower right corner.
    case bottomRight
    /// Where most is to be seen: edges are dropped that have the least information. Looks at the pixels.
    case entropy
    /// Where the eye goes: edges, saturated colours and skin. Looks at the pixels.
    case attention

    /// Where it is without looking at the picture; the middle for those that look.
    var anchor: Anchor {
        switch self {
        case .center, .entropy, .attention: .center
        case .top: Anchor(x: 0.5, y: 0)
        case .bottom: Anchor(x: 0.5, y: 1)
        case .left: Anchor(x: 0, y: 0.5)
        case .right: Anchor(x: 1, y: 0.5)
        case .topLeft: Anchor(x: 0, y: 0)
        case .topRight: Anchor(x: 1, y: 0)
        case .bottomLeft: Anchor(x: 0, y: 1)
        case .bottomRight: Anchor(x: 1, y: 1)
        }
    }

    /// Where a window that takes these shares of the picture's sides goes.
    func anchor(
        in pixels: PixelBuffer, width: Double, height: Double, _ work: borrowing WorkContext
    ) throws(ImageError) -> Anchor {
        guard self == .entropy || self == .attention, width < 1 || height < 1 else { return anchor }
        let map = try InterestMap(pixels, work)
        let window = map.window(width: width, height: height)
        return self == .entropy ? map.mostInformation(window) : map.mostAttention(window)
    }
}

/// A place as shares of the room that is left: 0 is left or top, 1 is right or bottom.
struct Anchor: Hashable, Sendable {
    var x: Double
    var y: Double

    static let center = Anchor(x: 0.5, y: 0.5)

    /// Where something of one length begins in something longer.
    static func start(_ share: Double, _ room: Int) -> Int { Int((Double(room) * share).rounded(.down)) }
}
