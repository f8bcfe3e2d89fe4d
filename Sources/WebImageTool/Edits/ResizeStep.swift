// SPDX-License-Identifier: MIT
internal import WebImage

/// A `--resize` with its `--fit`, `--kernel`, `--gravity` and `--linear`.
struct ResizeStep: Hashable, Sendable {
    private static let longestSide = 65_535

    /// A side of 0 does not limit.
    private let box: PixelSize
    /// The share of `50%`; nil for a box.
    private let factor: Double?
    private let fit: FitMode
    private let kernel: ResamplingKernel?
    private let gravity: Gravity?
    private let isLinear: Bool

    init(_ step: EditStep) throws(UsageError) {
        fit = try step.choice("fit", FitMode.self) ?? .contain
        kernel = try step.choice("kernel", ResamplingKernel.self)
        gravity = try step.choice("gravity", Gravity.self)
        isLinear = step.modifiers["linear"] != nil
        (box, factor) = try Self.target(step)
        let isWhole = box.width > 0 && box.height > 0
        if fit != .contain, !isWhole {
            throw UsageError("With --fit \(fit.rawValue), --resize needs both sides, such as 300x200.")
        }
        if gravity != nil, fit != .cover {
            throw UsageError("With --resize, --gravity makes sense with --fit cover only.")
        }
    }

    private static func target(_ step: EditStep) throws(UsageError) -> (PixelSize, Double?) {
        let text = step.value.text.lowercased()
        if text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent <= 10_000 {
            return (PixelSize(width: 0, height: 0), percent / 100)
        }
        guard let box = box(text), box.width > 0 || box.height > 0 else {
            throw step.fail(
                "WIDTHxHEIGHT in pixels up to \(longestSide), such as 300x200, 300x or x200, or a share such as 50%"
            )
        }
        return (box, nil)
    }

    private static func box(_ text: String) -> PixelSize? {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = side(sides[0]), let height = side(sides[1]) else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// A side of the box: 0 where it is left out, nil where it is no sensible number.
    private static func side(_ text: Substring) -> Int? {
        if text.isEmpty { return 0 }
        guard let number = wholeNumber(text), (1...longestSide).contains(number) else { return nil }
        return number
    }

    /// The box to decode into, where that is all there is to do.
    var thumbnail: PixelSize? {
        fit == .contain && factor == nil && kernel == nil && !isLinear ? box : nil
    }

    var transformer: ResizeTransformer {
        ResizeTransformer(
            target, fit: fit, kernel: kernel ?? .lanczos3, enlarges: fit != .contain || factor != nil,
            gravity: gravity ?? .center, usesLinearLight: isLinear)
    }

    private var target: ResizeTarget {
        if let factor { return .factor(factor) }
        if box.height == 0 { return .width(box.width) }
        return box.width == 0 ? .height(box.height) : .box(box)
    }
}

/// A number of decimal digits and nothing else.
func wholeNumber(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
}
