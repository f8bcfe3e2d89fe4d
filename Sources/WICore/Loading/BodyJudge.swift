// SPDX-License-Identifier: MIT

/// Judges type and size of a picture from the first bytes that arrive, so that a transfer nobody can use ends there.
final class BodyJudge: Sendable {
    private let coder: any ImageCoder
    private let limits: DecodeLimits
    /// Bytes below which asking again is no use: what the coder said it needs.
    private let wanted = Locked(1)

    init(coder: any ImageCoder, limits: DecodeLimits) {
        self.coder = coder
        self.limits = limits
    }

    /// Whether the bytes so far settle the matter.
    ///
    /// - Throws: ``ImageError`` when they are no picture, none that a coder decodes, or one over a limit.
    func judge(_ bytes: RawSpan, _ isComplete: Bool) throws(ImageError) -> Bool {
        guard isComplete || bytes.byteCount >= wanted.withLock({ $0 }) else { return false }
        guard coder.format(of: bytes) != nil else {
            if !isComplete, ImageFormat.mayStillDetect(bytes) { return false }
            throw unrecognized(bytes)
        }
        do {
            switch try coder.probe(bytes, isComplete: isComplete) {
            case .needs(let count):
                // Growing steps keep the work linear in the bytes, however little a coder asks for.
                let next = max(count.bytes, bytes.byteCount + max(1024, bytes.byteCount / 4))
                wanted.withLock { $0 = next }
                return isComplete
            case .info(let info):
                try limits.check(info.storedSize, format: info.format)
                return true
            }
        } catch let error as ImageError where error.isLimit {
            throw error
        } catch {
            // A damaged head is the decoder's to judge: it may still make something of it.
            return true
        }
    }
}

extension ImageError {
    /// Whether a limit was exceeded.
    package var isLimit: Bool {
        [.dimensionLimit, .frameLimit, .scanLimit, .metadataLimit, .bodyLimit, .memoryLimit].contains(code)
    }
}
