// SPDX-License-Identifier: MIT

/// What a piece of CPU work knows about its surroundings: whether it is still wanted.
///
/// Handed to coders and transformers as `borrowing`; they poll it every few rows.
public struct WorkContext: ~Copyable, Sendable {
    package let flag: CancellationFlag

    /// Surroundings that never cancel, for direct use of a coder or transformer.
    public init() { flag = CancellationFlag() }

    package init(flag: CancellationFlag) { self.flag = flag }

    /// Whether the work is no longer wanted.
    public var isCancelled: Bool { flag.isRaised }

    /// Throws `cancelled` when the work is no longer wanted.
    public func checkCancellation(_ stage: ImageError.Stage) throws(ImageError) {
        if flag.isRaised { throw .cancelled(stage) }
    }
}
