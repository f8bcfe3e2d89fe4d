// SPDX-License-Identifier: MIT

/// Reads a picture's head from bytes as they arrive, with few enough looks that the work stays linear in the bytes.
final class HeadProbe: Sendable {
    enum Finding: Sendable {
        /// More bytes are needed.
        case undecided
        case info(ImageInfo)
        /// A coder claims the bytes, but cannot read their head.
        case damaged(ImageError)
    }

    private let coder: any ImageCoder
    /// Bytes below which another look is no use: what the coder said it needs.
    private let wanted = Locked(1)

    init(_ coder: any ImageCoder) { self.coder = coder }

    /// What the bytes so far say.
    ///
    /// - Throws: ``ImageError`` when they are no picture, or none that a coder decodes.
    func look(at bytes: RawSpan, isComplete: Bool) throws(ImageError) -> Finding {
        guard isComplete || bytes.byteCount >= wanted.withLock({ $0 }) else { return .undecided }
        guard coder.format(of: bytes) != nil else {
            if !isComplete, ImageFormat.mayStillDetect(bytes) { return .undecided }
            throw unrecognized(bytes)
        }
        do {
            switch try coder.probe(bytes, isComplete: isComplete) {
            case .needs(let count):
                // Growing steps, however little a coder asks for.
                let next = max(count.bytes, bytes.byteCount + max(1024, bytes.byteCount / 4))
                wanted.withLock { $0 = next }
                return .undecided
            case .info(let info): return .info(info)
            }
        } catch {
            return .damaged(.wrapping(error, as: .corruptData, stage: .decode))
        }
    }
}
