// SPDX-License-Identifier: MIT

/// Durations of frames as whole milliseconds, rounded so that no frame is more than half of one early or late.
package struct FrameDurations: Equatable {
    package let milliseconds: [Int]

    /// Durations in milliseconds, none of which becomes longer than `longest`.
    package init(_ durations: [Double], longest: Int) {
        var end = 0.0
        var written = 0
        milliseconds = durations.map { duration in
            end += duration.isFinite ? min(max(0, duration), Double(longest)) : 0
            let rounded = min(longest, max(0, Int(end.rounded()) - written))
            written += rounded
            return rounded
        }
    }
}
