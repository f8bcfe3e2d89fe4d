// SPDX-License-Identifier: MIT

/// What a piece of CPU work knows about its surroundings: whether it is still wanted.
///
/// Handed to coders and transformers as `borrowing`; they poll it every few rows.
public struct WorkContext: ~Copyable, Sendable {
    package let flag: CancellationFlag
    /// Whose idle threads help with work that comes in blocks.
    private let helpers: WorkPool?

    /// Surroundings that never cancel, on one thread, for direct use of a coder or transformer.
    public init() { self.init(flag: CancellationFlag()) }

    package init(flag: CancellationFlag, helpers: WorkPool? = nil) {
        self.flag = flag
        self.helpers = helpers
    }

    /// Whether the work is no longer wanted.
    public var isCancelled: Bool { flag.isRaised }

    /// Throws `cancelled` when the work is no longer wanted.
    public func checkCancellation(_ stage: ImageError.Stage) throws(ImageError) {
        if flag.isRaised { throw .cancelled(stage) }
    }

    /// Calls `body` once for each of `count` blocks, here and on those threads of the pool that have nothing else to do.
    ///
    /// Returns when every block is done. Once the work is cancelled, no further block is begun.
    /// - Throws: ``ImageError`` with code `cancelled`.
    package func forEachBlock(
        _ count: Int, _ stage: ImageError.Stage, _ body: @Sendable (Int) -> Void
    ) throws(ImageError) {
        withoutActuallyEscaping(body) { body in
            let blocks = SharedBlocks(count, flag, body)
            if count > 1 { helpers?.lend { blocks.help() } }
            blocks.finish()
        }
        try checkCancellation(stage)
    }
}
