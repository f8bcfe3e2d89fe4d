// SPDX-License-Identifier: MIT
package import FoundationEssentials
package import WICore

/// One file that arrives, for any codec that can show part of it.
package protocol ArrivingPicture: ~Copyable, Sendable {
    /// Takes the bytes that follow those of the last call.
    ///
    /// - Throws: when nothing more can be shown.
    mutating func append(_ bytes: Data, _ work: borrowing WorkContext) throws(ImageError)

    /// What can be seen so far, as it is to be handed over; nil when that is no more than at the last call.
    mutating func preview(_ work: borrowing WorkContext) throws(ImageError) -> PixelBuffer?
}

/// The decoder of such a file.
package final class ArrivingDecoder<Picture: ArrivingPicture & ~Copyable>: ProgressiveDecoder {
    private let picture: Locked<Picture>
    private let format: ImageFormat

    package init(_ picture: consuming sending Picture, _ format: ImageFormat) {
        self.picture = Locked(picture)
        self.format = format
    }

    package func append(_ bytes: RawSpan, _ work: borrowing WorkContext) throws {
        let more = bytes.withUnsafeBytes { Data($0) }
        try work.checkCancellation(.decode)
        try picture.withLock { picture throws(ImageError) in try picture.append(more, work) }
    }

    package func preview(_ work: borrowing WorkContext) throws -> ImagePreview? {
        let pixels = try picture.withLock { picture throws(ImageError) in try picture.preview(work) }
        return pixels.map { ImagePreview(pixels: $0, format: format) }
    }
}

/// When a head that is not whole is read again: what cannot go on where it stopped must not be read for every byte.
package struct HeadReadings: Sendable {
    /// Readings that are made as soon as there are the bytes that the last one asked for.
    private static let promptReadings = 100

    private var count = 0
    private var due = 0

    package init() {}

    /// Whether to read, with so many bytes there.
    package func isDue(_ byteCount: Int) -> Bool { byteCount >= due }

    /// A reading of so many bytes took it to have `needed`.
    package mutating func note(_ byteCount: Int, needed: Int) {
        count += 1
        due = count < Self.promptReadings ? needed : max(needed, byteCount + byteCount / 4)
    }
}
