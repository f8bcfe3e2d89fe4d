// SPDX-License-Identifier: MIT

/// Judges type and size of a picture from the first bytes that arrive, so that a transfer nobody can use ends there.
final class BodyJudge: Sendable {
    private let head: HeadProbe
    private let limits: DecodeLimits

    init(coder: any ImageCoder, limits: DecodeLimits) {
        head = HeadProbe(coder)
        self.limits = limits
    }

    /// Whether the bytes so far settle the matter.
    ///
    /// - Throws: ``ImageError`` when they are no picture, none that a coder decodes, or one over a limit.
    func judge(_ bytes: RawSpan, _ isComplete: Bool) throws(ImageError) -> Bool {
        switch try head.look(at: bytes, isComplete: isComplete) {
        case .undecided: return isComplete
        case .damaged(let error): try refuse(error)
        case .info(let info):
            do throws(ImageError) {
                try limits.check(info.storedSize, format: info.format)
            } catch {
                try refuse(error)
            }
        }
        return true
    }

    /// A damaged head is the decoder's to judge, which may still make something of it; a limit is not.
    private func refuse(_ error: ImageError) throws(ImageError) {
        if error.isLimit { throw error }
    }
}

extension ImageError {
    /// Whether a limit was exceeded.
    package var isLimit: Bool {
        [.dimensionLimit, .frameLimit, .scanLimit, .metadataLimit, .bodyLimit, .memoryLimit].contains(code)
    }
}
