// SPDX-License-Identifier: MIT
public import WICore

/// How large a picture becomes.
public enum ResizeTarget: Hashable, Sendable, CustomStringConvertible {
    /// To a box of pixels, as ``FitMode`` says.
    case box(PixelSize)
    /// To this width in pixels; the height follows.
    case width(Int)
    /// To this height in pixels; the width follows.
    case height(Int)
    /// Both sides times this factor.
    case factor(Double)

    /// For example `300x200`, `300x`, `x200` or `0.5`.
    public var description: String {
        switch self {
        case .box(let size): "\(size)"
        case .width(let width): "\(width)x"
        case .height(let height): "x\(height)"
        case .factor(let factor): KeyPart.number(factor)
        }
    }

    func check() throws(ImageError) {
        let isPositive =
            switch self {
            case .box(let size): size.width > 0 && size.height > 0
            case .width(let side), .height(let side): side > 0
            case .factor(let factor): factor > 0 && factor.isFinite
            }
        guard !isPositive else { return }
        throw ImageError(
            .invalidArgument, stage: .transform,
            "A picture cannot be resized to \(self): sides and factors must be positive.")
    }
}
