// SPDX-License-Identifier: MIT
package import WICore

/// The frames of an animation, and which of them can be painted without those before.
package struct FrameTimeline: Sendable {
    /// What the frames do, in order.
    package let steps: [FrameStep]
    /// Width × height of the canvas, which is transparent before the first frame.
    package let canvas: PixelSize
    /// Whether no composited frame has a transparent pixel.
    package let isAlwaysOpaque: Bool
    private var keys: [Key]

    /// Whether a frame needs those before it.
    private enum Key: UInt8 {
        case none
        /// It paints over all that was there.
        case covers
        /// There is nothing before it.
        case clear
    }

    /// A timeline of these frames on a canvas of that size.
    package init(_ steps: [FrameStep], canvas: PixelSize) {
        self.steps = steps
        self.canvas = canvas
        keys = Self.keys(steps, canvas)
        isAlwaysOpaque = Self.isAlwaysOpaque(steps, canvas)
    }

    /// The last frame up to `index` that stands alone.
    package func key(for index: Int) -> Int {
        var index = index
        while index > 0, keys[index] == .none { index -= 1 }
        return index
    }

    /// Says that pixels of a frame are missing, so that what was there is seen after all.
    ///
    /// - Returns: whether the frame was taken to stand alone and does not.
    mutating func noteMissingPixels(of index: Int) -> Bool {
        guard keys[index] == .covers else { return false }
        keys[index] = .none
        return true
    }

    private static func keys(_ steps: [FrameStep], _ canvas: PixelSize) -> [Key] {
        // Whether the canvas is known to be transparent before the frame.
        var isClear = true
        return steps.map { step in
            let covers = step.area?.covers(canvas) ?? false
            // A frame that restores gives back what only the frames before it know.
            let replaces = covers && step.coverage != .blends && step.disposal != .restore
            let key: Key = isClear ? .clear : replaces ? .covers : .none
            switch step.disposal {
            case .keep: isClear = isClear && step.area == nil
            case .clear: isClear = isClear || covers
            case .restore: break
            }
            return key
        }
    }

    private static func isAlwaysOpaque(_ steps: [FrameStep], _ canvas: PixelSize) -> Bool {
        guard let first = steps.first, first.area?.covers(canvas) ?? false, first.coverage == .opaque,
            steps.count == 1 || first.disposal == .keep
        else { return false }
        return steps.allSatisfy { $0.area == nil || $0.coverage != .replaces }
            && steps.dropLast().allSatisfy { $0.area == nil || $0.disposal != .clear }
    }
}
