// SPDX-License-Identifier: MIT
package import WICore

/// The frames of an animation, and which of them can be painted without those before.
package struct FrameTimeline: Sendable {
    /// What the frames do, in order.
    package private(set) var steps: [FrameStep] = []
    /// Width × height of the canvas, which is transparent before the first frame.
    package let canvas: PixelSize
    private var keys: [Key] = []
    /// Whether the canvas is known to be transparent before the next frame.
    private var isClear = true
    /// Whether no composited frame has a transparent pixel, whatever the last one's disposal.
    private var isOpaque = false

    /// Whether a frame needs those before it.
    private enum Key: UInt8 {
        case none
        /// It paints over all that was there.
        case covers
        /// There is nothing before it.
        case clear
    }

    /// A timeline of these frames on a canvas of that size.
    package init(_ steps: [FrameStep] = [], canvas: PixelSize) {
        self.canvas = canvas
        for step in steps { append(step) }
    }

    /// Adds a frame behind the others.
    package mutating func append(_ step: FrameStep) {
        let covers = step.area?.covers(canvas) ?? false
        // A frame that restores gives back what only the frames before it know.
        let replaces = covers && step.coverage != .blends && step.disposal != .restore
        keys.append(isClear ? .clear : replaces ? .covers : .none)
        isOpaque = staysOpaque(with: step, covers)
        switch step.disposal {
        case .keep: isClear = isClear && step.area == nil
        case .clear: isClear = isClear || covers
        case .restore: break
        }
        steps.append(step)
    }

    private func staysOpaque(with step: FrameStep, _ covers: Bool) -> Bool {
        guard let last = steps.last else { return covers && step.coverage == .opaque }
        // What a first frame restores is the empty canvas.
        let isUncovered = last.disposal == .clear || steps.count == 1 && last.disposal == .restore
        return isOpaque && (last.area == nil || !isUncovered)
            && (step.area == nil || step.coverage != .replaces)
    }

    /// Whether no composited frame has a transparent pixel.
    package var isAlwaysOpaque: Bool { isOpaque }

    /// The last frame up to `index` that stands alone.
    package func key(for index: Int) -> Int {
        var index = index
        while index > 0, keys[index] == .none { index -= 1 }
        return index
    }

    /// Whether nothing is below frame `index`, or nothing that could be seen.
    func standsAlone(_ index: Int) -> Bool { index == 0 || keys[index] != .none }

    /// Says that pixels of a frame are missing, so that what was there is seen after all.
    ///
    /// - Returns: whether the frame was taken to stand alone and does not.
    mutating func noteMissingPixels(of index: Int) -> Bool {
        guard keys[index] == .covers else { return false }
        keys[index] = .none
        return true
    }
}
